import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RunningGatewayProcess, startGatewayProcess } from '../fake/gateway.ts'
import { keptRecords } from '../fake/kept-records.ts'
import { startLlm } from '../fake/llm.ts'
import { readMetric } from '../fake/metric.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startTcpProxy } from '../fake/tcp-proxy.ts'
import { temporaryFolder } from '../fake/temporary-folder.ts'
import { createRandom } from '../operator/random.ts'
import { startCallers } from './callers.ts'
import { type Fault, JOURNAL_FAULTS, OUTAGE_FAULTS, SHORT_JOURNAL_FAULTS } from './faults.ts'

/** Faults go on for so long; without it each of the short list happens once. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? '0')
const SEED = Number(process.env.SOAK_SEED ?? '1')
const CALLS_BETWEEN = 30

const cases: readonly (readonly [durability: 'outage' | 'journal', faults: readonly Fault[]])[] = [
  ['outage', OUTAGE_FAULTS],
  ['journal', SECONDS === 0 ? SHORT_JOURNAL_FAULTS : JOURNAL_FAULTS],
]

for (const [durability, faults] of cases) {
  test(`issue 15, ledger, ${durability}: whatever is killed, every answered call has its record, once`, async (t) => {
    await using folder = await temporaryFolder()
    await using nats = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 8GB' })
    await using bus = await startTcpProxy(nats.port)
    await using llm = await startLlm()
    const random = createRandom(SEED)
    const callers = startCallers(SEED)
    const start = (): Promise<RunningGatewayProcess> =>
      startGatewayProcess({
        admin: true,
        nats: { address: bus.address, token: nats.token },
        config: {
          record: { durability },
          spool: { directory: folder.path },
          routers: [{ path: '/llm/', outbound: { url: llm.url } }],
        },
      })
    let gateway = await start()
    try {
      callers.pointTo(gateway.port)
      const scene = {
        nats,
        bus,
        random,
        more: callers.more,
        replaceGateway: async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
          gateway.kill(signal)
          await gateway.exited
          callers.pointTo(undefined)
          await gateway.close()
          gateway = await start()
          callers.pointTo(gateway.port)
        },
      }
      await callers.more(CALLS_BETWEEN)
      const happened: string[] = []
      const end = performance.now() + SECONDS * 1_000
      while (happened.length < faults.length || performance.now() < end) {
        // In the short form each happens once, in an order by the seed.
        const fault =
          faults.length > happened.length ? faults[(happened.length + SEED) % faults.length] : random.pick(faults)
        assert.ok(fault !== undefined)
        await fault.happen(scene)
        await callers.more(CALLS_BETWEEN)
        happened.push(fault.name)
      }
      await callers.stop()
      await untilDelivered(gateway)
      const lost = await readMetric(gateway, 'llm_gateway_records_total', { result: 'lost' })
      const { recorded, doubles, incomplete } = await readLedger(nats)
      const missing = [...callers.answered].filter((serial) => !recorded.has(serial))
      t.diagnostic(
        `seed ${SEED}: ${happened.length} faults, ${callers.answered.size} answered, ${callers.failed} failed, ${recorded.size} recorded, ${incomplete} incomplete, ${lost} lost`,
      )
      assert.deepEqual([missing, doubles, lost], [[], [], 0], `SOAK_SEED=${SEED}: ${happened.join(', ')}`)
      assert.ok(callers.answered.size > faults.length * CALLS_BETWEEN)
    } finally {
      await callers.stop()
      await gateway.close()
    }
  })
}

/** Waits until neither memory nor spool of the gateway hold a record. */
async function untilDelivered({ adminUrl }: RunningGatewayProcess): Promise<void> {
  const end = performance.now() + 120_000
  for (;;) {
    const { records } = Object(await (await fetch(`${adminUrl}/status`)).json())
    if (
      records.stream === 'on' &&
      records.queued_bytes === 0 &&
      records.spooled_records === 0 &&
      records.spool === 'on'
    )
      return
    assert.ok(performance.now() < end, JSON.stringify(records))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

type Ledger = {
  readonly recorded: ReadonlySet<number>
  /** Serials, and ids, of which there is more than one record. */
  readonly doubles: readonly (number | string)[]
  readonly incomplete: number
}

async function readLedger(nats: Parameters<typeof keptRecords>[0]): Promise<Ledger> {
  await using kept = await keptRecords(nats)
  const recorded = new Set<number>()
  const ids = new Set<string>()
  const doubles: (number | string)[] = []
  let incomplete = 0
  await kept.each(({ messageId = '', text }) => {
    const serial = Number(/"ingress_payload":\{"serial":(\d+)/.exec(text)?.[1])
    if (recorded.has(serial)) doubles.push(serial)
    if (ids.has(messageId)) doubles.push(messageId)
    recorded.add(serial)
    ids.add(messageId)
    if (text.endsWith(',"incomplete":true}')) incomplete += 1
  })
  return { recorded, doubles, incomplete }
}
