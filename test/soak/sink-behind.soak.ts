import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, headers, type NatsConnection } from 'nats'
import { startNatsServer } from '../fake/nats-server.ts'
import { openRecordStream } from '../fake/record-stream.ts'
import { temporaryFolder } from '../fake/temporary-folder.ts'
import { bulkSink, fileSink, type LedgerSink, rowSink, type SinkContext } from '../ledger/ledger-sinks.ts'

/** An hour at 100 calls a second. */
const BEHIND = Number(process.env.SOAK_RECORDS ?? '360000')
const LIVE_PER_SECOND = 100
const RECORD_BYTES = 512
const SUBJECT = 'llm.gl.logger'
const MIB = 1024 * 1024
const LOOK_MS = 100
const BLOCK = 2_000
const LONGEST_MS = 1_200_000
const STREAM = {
  name: 'records_llm',
  subjects: [SUBJECT],
  storage: 'file',
  retention: 'limits',
  discard: 'old',
  max_bytes: 4_096 * MIB,
  max_msg_size: 32 * MIB - 4096,
  duplicate_window: 600e9,
  num_replicas: 1,
}

test('a sink that is an hour behind catches up at five times the live rate, and the other sinks stay up to date', async (t) => {
  await using folder = await temporaryFolder()
  await using nats = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 10GB' })
  await using kept = await openRecordStream(nats)
  assert.equal((await kept.request('CREATE', STREAM)).error, undefined)
  const connection = await connect({
    servers: nats.address,
    ...(nats.token === undefined ? {} : { token: nats.token }),
  })
  const publisher = livePublisher(connection)
  // Stopped before the bus ends: its requests would wait for the bus.
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      await publisher.stop()
      await connection.close()
    },
  }
  await publisher.fill(BEHIND)
  await kept.waitForCount(BEHIND)
  const service_bus = { hostname: nats.address, token: nats.token }
  const context: SinkContext = { t, folder: folder.path, service_bus }
  const floorOf = async (service: string): Promise<number> => {
    const reply = await connection.request(`$JS.API.CONSUMER.INFO.${STREAM.name}.${service}`, '', { timeout: 30_000 })
    return Object(JSON.parse(reply.string()).ack_floor).stream_seq ?? 0
  }
  publisher.start()
  await sleep(5_000)
  const quiet = publisher.takeWaits()
  const starts: readonly (readonly [string, () => Promise<LedgerSink | string>])[] = [
    ['ledgerfile', () => fileSink(context, folder)],
    ['ledgerbulk', () => bulkSink(context)],
    ['ledgerrows', () => rowSink(context, process.env.PATH)],
  ]
  t.diagnostic(`waits for the bus, without a sink: ${shown(quiet)}`)
  let ahead: string | undefined
  for (const [service, start] of starts) {
    publisher.takeWaits()
    const behind = publisher.count()
    const begun = performance.now()
    const sink = await start()
    if (typeof sink === 'string') {
      t.diagnostic(sink)
      continue
    }
    let furthest = 0
    while ((await floorOf(service)) < behind) {
      if (ahead !== undefined) furthest = Math.max(furthest, publisher.count() - (await floorOf(ahead)))
      assert.ok(performance.now() - begun < LONGEST_MS, `${service}: ${await floorOf(service)} of ${behind}`)
      await sleep(LOOK_MS)
    }
    const seconds = (performance.now() - begun) / 1_000
    const rate = Math.round(publisher.count() / seconds)
    const other = ahead === undefined ? '' : `, ${ahead} at most ${furthest} records behind`
    t.diagnostic(
      `${service}: ${behind} records in ${seconds.toFixed(1)} s, start included: ${rate} a second; waits for the bus ${shown(publisher.takeWaits())}${other}`,
    )
    assert.ok(rate >= 5 * LIVE_PER_SECOND, `${rate} a second`)
    const tally = await sink.read()
    const wanted = new Set(Array.from({ length: behind }, (_, index) => index + 1))
    assert.deepEqual(
      [tally.missing(wanted), tally.doubles, tally.isOrdered || service !== 'ledgerfile'],
      [[], [], true],
    )
    ahead = service
  }
})

/** Publishes records with ids and rising serials. */
function livePublisher(connection: NatsConnection) {
  let serial = 0
  let waits: number[] = []
  const underWay = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  const next = (): readonly [Uint8Array, ReturnType<typeof headers>] => {
    serial += 1
    const id = headers()
    id.set('Nats-Msg-Id', `GATEWAY1-1-${serial}`)
    const text = `{"transaction_id":"t-${serial}","request":{"gl_path":"/a/","ingress_payload":{"serial":${serial},"filler":""}},"response":{"egress_status_code":200}}`
    return [Buffer.from(text.replace('""', `"${'x'.repeat(RECORD_BYTES - text.length)}"`)), id]
  }
  const publishOne = async (): Promise<void> => {
    const [bytes, id] = next()
    const begun = performance.now()
    await connection.request(SUBJECT, bytes, { headers: id, timeout: 60_000 })
    waits.push(performance.now() - begun)
  }
  return {
    count: () => serial,
    fill: async (count: number): Promise<void> => {
      while (serial < count) {
        for (let block = Math.min(BLOCK, count - serial); block > 0; block -= 1) {
          const [bytes, id] = next()
          connection.publish(SUBJECT, bytes, { headers: id })
        }
        await connection.flush()
      }
    },
    start: (): void => {
      timer = setInterval(() => {
        const one = publishOne().finally(() => underWay.delete(one))
        underWay.add(one)
      }, 1_000 / LIVE_PER_SECOND)
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await Promise.all(underWay)
    },
    takeWaits: (): readonly number[] => {
      const taken = waits
      waits = []
      return taken
    },
  }
}

function shown(waits: readonly number[]): string {
  const sorted = waits.toSorted((one, other) => one - other)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
}
