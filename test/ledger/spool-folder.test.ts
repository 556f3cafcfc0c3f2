import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startLlm } from '../fake/llm.ts'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import { openRecordStream } from '../fake/record-stream.ts'
import { startTcpProxy } from '../fake/tcp-proxy.ts'
import { temporaryFolder } from '../fake/temporary-folder.ts'
import { type Callers, startCallers } from './callers.ts'
import { type LedgerGateway, startLedgerGateway } from './ledger-gateway.ts'
import { serialOf } from './serial-of.ts'
import { Tally } from './tally.ts'

const SEED = Number(process.env.SOAK_SEED ?? '1')
/** `journal` puts more files into the folder than `outage`; `make soak` tries both. */
const DURABILITIES = process.env.SOAK_SECONDS === undefined ? ['journal'] : ['outage', 'journal']

/** Small, because the spooled amount doesn't matter here. */
const LOAD = { callers: 4, pauseMs: 30, large: [1_000_000], largeShare: 0.005 } as const

type Scene = {
  readonly nats: NatsServer
  readonly gateway: LedgerGateway
  readonly callers: Callers
  /** The folder of the spool. */
  readonly path: string
}

/** Changes of the folder while the bus is away and the folder holds records. */
const FOLDER_FAULTS: readonly ((scene: Scene) => Promise<void>)[] = [
  async function removed({ path }) {
    await rm(path, { recursive: true })
  },
  async function replacedByFile({ path, callers, gateway }) {
    await rm(path, { recursive: true })
    await writeFile(path, 'a file')
    await gateway.untilStatus(({ spool }) => spool === 'off')
    await callers.more(20)
    await rm(path)
    await gateway.untilStatus(({ spool }) => spool === 'on')
  },
  async function removedAtTheEnd({ path, gateway }) {
    await rm(path, { recursive: true })
    await gateway.replace('SIGTERM')
  },
  async function removedTwice({ path, callers, gateway }) {
    for (const _ of [1, 2]) {
      await rm(path, { recursive: true })
      await callers.more(20)
      await gateway.untilStatus(holdsRecords)
    }
  },
]

const holdsRecords = (records: Readonly<Record<string, unknown>>): boolean => Number(records.spooled_records) > 0

for (const durability of DURABILITIES) {
  test(`ledger, ${durability}: when the spool's folder disappears the counters tell the number of lost records`, async (t) => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'spool')
    await using nats = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 8GB' })
    await using bus = await startTcpProxy(nats.port)
    await using llm = await startLlm()
    const callers = startCallers(SEED, LOAD)
    const config = { record: { durability }, spool: { directory: path } }
    const gateway = await startLedgerGateway({ nats, bus, llmUrl: llm.url, callers, config })
    try {
      await callers.more(20)
      for (const fault of FOLDER_FAULTS) {
        await nats.kill('SIGKILL')
        await callers.more(30)
        await gateway.untilStatus(holdsRecords)
        const before = await gateway.lost()
        await fault({ nats, gateway, callers, path })
        await callers.more(20)
        assert.ok((await gateway.lost()) > before, fault.name)
        await nats.restart()
        await gateway.untilDelivered()
      }
      await callers.stop()
      await gateway.untilDelivered()
      const kept = new Tally('stream')
      await using records = await openRecordStream(nats)
      await records.each(({ text }) => kept.add(serialOf(text)))
      const lost = await gateway.lost()
      const missing = kept.missing(callers.answered)
      t.diagnostic(`seed ${SEED}: ${callers.answered.size} answered, ${missing.length} missing, ${lost} counted`)
      assert.deepEqual([missing.length, kept.doubles], [lost, []])
    } finally {
      await callers.stop()
      await gateway.close()
    }
  })
}
