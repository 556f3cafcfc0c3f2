import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import { openRecordStream } from '../fake/record-stream.ts'
import { type SmallDisk, startSmallDisk } from '../fake/small-disk.ts'
import { startTcpProxy } from '../fake/tcp-proxy.ts'
import { createRandom } from '../operator/random.ts'
import { startCallers } from './callers.ts'
import { GATEWAY_KILLED } from './faults.ts'
import { startLedgerGateway } from './ledger-gateway.ts'
import { startLedgerLlm } from './ledger-llm.ts'
import { startLedgerSinks } from './ledger-sinks.ts'
import { LONG_FAULTS, type LongScene } from './long-faults.ts'
import { serialOf } from './serial-of.ts'
import { Tally } from './tally.ts'

/** Seconds for both durabilities together. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? '3600')
const SEED = Number(process.env.SOAK_SEED ?? '1')
const CALLS_BETWEEN = 900
/** Bodies from 0.1 KB to 20 MB; the share of large bodies keeps the records below 20 MB a second. */
const LOAD = {
  callers: 24,
  pauseMs: 75,
  large: [1_000_000, 4_000_000, 8_000_000, 20_000_000],
  largeShare: 0.001,
} as const
const MIB = 1024 * 1024
const SPOOLED_BETWEEN = 64 * MIB

for (const durability of ['outage', 'journal'] as const) {
  test(`long ledger, ${durability}: every target has exactly one record of every answered call`, async (t) => {
    const [spoolDisk, fileDisk] = [await startSmallDisk(512), await startSmallDisk(1_024)]
    if (spoolDisk === undefined || fileDisk === undefined) return t.skip('this process may mount nothing')
    await using spool = spoolDisk
    await using files = fileDisk
    await runLedger(t, { durability, spool, files })
  })
}

type Disks = { readonly durability: 'outage' | 'journal'; readonly spool: SmallDisk; readonly files: SmallDisk }

async function runLedger(t: TestContext, { durability, spool, files }: Disks): Promise<void> {
  await using nats = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 40GB' })
  await using bus = await startTcpProxy(nats.port)
  await using llm = await startLedgerLlm()
  const callers = startCallers(SEED, LOAD)
  const config = {
    record: { durability, when_full: 'refuse' },
    spool: { directory: `${spool.path}/spool`, max_bytes: 384 * MIB },
  }
  const gateway = await startLedgerGateway({ nats, bus, llmUrl: llm.url, callers, config })
  const happened: string[] = []
  let kills = 0
  try {
    await callers.more(1)
    const sinks = await startLedgerSinks(t, { nats, disk: files, path: process.env.PATH })
    const scene: LongScene = {
      nats,
      bus,
      sinks,
      random: createRandom(SEED),
      spoolDisk: spool,
      fileDisk: files,
      more: callers.more,
      signalGateway: gateway.signal,
      replaceGateway: async (signal) => {
        if (signal === 'SIGKILL') kills += 1
        await gateway.replace(signal)
      },
    }
    const faults = durability === 'journal' ? [...LONG_FAULTS, ...GATEWAY_KILLED] : LONG_FAULTS
    const end = performance.now() + (SECONDS / 2) * 1_000
    let printed = 0
    while (performance.now() < end) {
      const fault = scene.random.pick(faults)
      happened.push(fault.name)
      await fault.happen(scene)
      await callers.more(CALLS_BETWEEN)
      // Faults come faster than a spool is sent, and a full spool refuses calls, as it should.
      await gateway.untilSpooled(SPOOLED_BETWEEN)
      if (performance.now() < printed) continue
      printed = performance.now() + 30_000
      t.diagnostic(
        `${happened.length} faults, ${callers.answered.size} answered, ${callers.failed} failed, ${fault.name}`,
      )
    }
    await callers.stop()
    await gateway.untilDelivered()
    await sinks.untilDone()
    const tallies = [await readStream(nats), ...(await Promise.all(sinks.all.map(({ read }) => read())))]
    const lost = await gateway.lost()
    t.diagnostic(
      `seed ${SEED}, ${durability}: ${happened.length} faults, ${callers.answered.size} answered, ${callers.failed} failed, ${llm.made.size} made, ${lost} lost`,
    )
    for (const tally of tallies) {
      const [answered, made] = [tally.missing(callers.answered), tally.missing(llm.made)]
      const { name, size, doubles, unknownCalls } = tally
      t.diagnostic(
        `${name}: ${size} calls, ${answered.length} answered ones missing, ${made.length} of all, ${doubles.length} doubles, ${unknownCalls} of unknown calls`,
      )
    }
    const context = `SOAK_SEED=${SEED}: ${happened.join(', ')}`
    for (const tally of tallies) {
      assert.deepEqual([tally.name, tally.missing(callers.answered), tally.doubles], [tally.name, [], []], context)
      // A call during a kill is counted nowhere, since its caller had no answer.
      if (kills === 0) assert.equal(tally.missing(llm.made).length, lost, `${tally.name}, ${context}`)
    }
    assert.equal(lost, 0, context)
  } catch (error) {
    const printed = {
      last: happened.at(-1),
      failures: Object.fromEntries(callers.failures),
      records: await gateway.status(),
    }
    t.diagnostic(JSON.stringify(printed))
    throw error
  } finally {
    await callers.stop()
    await gateway.close()
  }
}

async function readStream(nats: NatsServer): Promise<Tally> {
  const tally = new Tally('stream')
  await using kept = await openRecordStream(nats)
  await kept.each(({ text }) => tally.add(serialOf(text)))
  return tally
}
