import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLlm } from '../fake/llm.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { openRecordStream } from '../fake/record-stream.ts'
import { startTcpProxy } from '../fake/tcp-proxy.ts'
import { temporaryFolder } from '../fake/temporary-folder.ts'
import { createRandom } from '../operator/random.ts'
import { startCallers } from './callers.ts'
import { type Fault, OUTAGE_FAULTS, SHORT_JOURNAL_FAULTS } from './faults.ts'
import { startLedgerGateway } from './ledger-gateway.ts'
import { serialOf } from './serial-of.ts'

const SEED = Number(process.env.SOAK_SEED ?? '1')
const CALLS_BETWEEN = 30

const cases: readonly (readonly [durability: 'outage' | 'journal', faults: readonly Fault[]])[] = [
  ['outage', OUTAGE_FAULTS],
  ['journal', SHORT_JOURNAL_FAULTS],
]

for (const [durability, faults] of cases) {
  test(`ledger, ${durability}: every answered call has exactly one record after each kill`, async (t) => {
    await using folder = await temporaryFolder()
    await using nats = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 8GB' })
    await using bus = await startTcpProxy(nats.port)
    await using llm = await startLlm()
    const callers = startCallers(SEED)
    const config = { record: { durability }, spool: { directory: folder.path } }
    const gateway = await startLedgerGateway({ nats, bus, llmUrl: llm.url, callers, config })
    try {
      const scene = { nats, bus, random: createRandom(SEED), more: callers.more, replaceGateway: gateway.replace }
      await callers.more(CALLS_BETWEEN)
      const happened: string[] = []
      while (happened.length < faults.length) {
        // The order depends on the seed.
        const fault = faults[(happened.length + SEED) % faults.length]
        assert.ok(fault !== undefined)
        await fault.happen(scene)
        await callers.more(CALLS_BETWEEN)
        happened.push(fault.name)
      }
      await callers.stop()
      await gateway.untilDelivered()
      const lost = await gateway.lost()
      const { recorded, doubles, incomplete } = await readLedger(nats)
      const missing = [...callers.answered].filter((serial) => !recorded.has(serial))
      t.diagnostic(
        `seed ${SEED}: ${happened.length} faults, ${callers.answered.size} answered, ${callers.failed} failed, ${recorded.size} recorded, ${incomplete} incomplete, ${lost} lost`,
      )
      const context = `SOAK_SEED=${SEED}: ${happened.join(', ')}; ${JSON.stringify(await gateway.status())}`
      assert.deepEqual([missing, doubles, lost], [[], [], 0], context)
      assert.ok(callers.answered.size > faults.length * CALLS_BETWEEN)
    } finally {
      await callers.stop()
      await gateway.close()
    }
  })
}

type Ledger = {
  readonly recorded: ReadonlySet<number>
  /** Serials and ids with more than one record. */
  readonly doubles: readonly (number | string)[]
  readonly incomplete: number
}

async function readLedger(nats: Parameters<typeof openRecordStream>[0]): Promise<Ledger> {
  await using kept = await openRecordStream(nats)
  const recorded = new Set<number>()
  const ids = new Set<string>()
  const doubles: (number | string)[] = []
  let incomplete = 0
  await kept.each(({ messageId = '', text }) => {
    const serial = serialOf(text)
    if (recorded.has(serial)) doubles.push(serial)
    if (ids.has(messageId)) doubles.push(messageId)
    recorded.add(serial)
    ids.add(messageId)
    if (text.endsWith(',"incomplete":true}')) incomplete += 1
  })
  return { recorded, doubles, incomplete }
}
