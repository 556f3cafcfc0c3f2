import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { createGunzip } from 'node:zlib'
import { connectBusClient } from '../fake/bus-client.ts'
import { freePort } from '../fake/free-port.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import { startPostgres } from '../fake/postgres.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import type { SmallDisk } from '../fake/small-disk.ts'
import { startTcpProxy, type TcpProxy } from '../fake/tcp-proxy.ts'
import { temporaryFolder } from '../fake/temporary-folder.ts'
import { serialOf } from './serial-of.ts'
import { Tally } from './tally.ts'

const SINK_MAIN = join(import.meta.dirname, '../../processors/nats2log/src/main.ts')
const BULK_MAIN = join(import.meta.dirname, 'bulk-program.ts')
const WAIT_MS = 600_000

/** A program that faults kill and start again. */
export type Restartable = {
  readonly name: string
  kill(signal: NodeJS.Signals): Promise<void>
  start(): Promise<void>
}

/** A sink and its target server. */
export type LedgerSink = {
  readonly sink: Restartable
  readonly target: Restartable | undefined
  /** The proxy between sink and target. */
  readonly proxy: TcpProxy | undefined
  /** Returns the tally of the records at the target. */
  read(): Promise<Tally>
}

export type LedgerSinks = {
  readonly all: readonly LedgerSink[]
  /** The proxy between the sinks and the bus. */
  readonly bus: TcpProxy
  /** Renames the folder of the file sink. */
  moveFolder(): Promise<void>
  /** Waits until each sink has acknowledged all records of the stream. */
  untilDone(): Promise<void>
}

/** Starts three sinks with real targets: files on a small disk, `_bulk`, and PostgreSQL if one is in `path`. */
export async function startLedgerSinks(
  t: TestContext,
  { nats, disk, path }: { readonly nats: NatsServer; readonly disk: SmallDisk; readonly path: string | undefined },
): Promise<LedgerSinks> {
  const folder = await temporaryFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  const bus = await startTcpProxy(nats.port)
  t.after(() => bus.close())
  const place = { t, folder: folder.path, service_bus: { hostname: bus.address, token: nats.token } }
  const all = [await fileSink(place, disk), await bulkSink(place)]
  const rows = await rowSink(place, path)
  if (typeof rows === 'string') t.diagnostic(rows)
  else all.push(rows)
  let moved = 0
  return {
    all,
    bus,
    moveFolder: () => rename(join(disk.path, 'log'), join(disk.path, `log-${++moved}`)).catch(() => undefined),
    untilDone: () => untilDone(nats, all),
  }
}

export type SinkContext = { readonly t: TestContext; readonly folder: string; readonly service_bus: object }

/** Starts a file sink with files of 48 MiB, compressed when they are rotated. */
export async function fileSink(place: SinkContext, disk: Pick<SmallDisk, 'path'>): Promise<LedgerSink> {
  const rotate = { bytes: 48 * 1024 * 1024, gzip: true }
  const file_writer = { filename: join(disk.path, 'log/records.jsonl'), rotate }
  const sink = await startSink(place, 'ledgerfile', { mode: 'file_writer', file_writer })
  const read = async (): Promise<Tally> => {
    const tally = new Tally('files')
    for (const entry of await readdir(disk.path, { recursive: true, withFileTypes: true })) {
      if (!/\.jsonl(?:\.gz)?$/.test(entry.name)) continue
      const bytes = createReadStream(join(entry.parentPath, entry.name))
      const input = entry.name.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
      for await (const line of createInterface({ input })) tally.add(serialOf(line))
    }
    return tally
  }
  return { sink, target: undefined, proxy: undefined, read }
}

/** Starts a sink to a program that speaks Elasticsearch's `_bulk`. */
export async function bulkSink(place: SinkContext): Promise<LedgerSink> {
  const file = join(place.folder, 'documents')
  const port = await freePort()
  const target = await startRestartable(place.t, 'the bulk target', async () => {
    const program = await startProgram({ command: process.execPath, args: [BULK_MAIN, `${port}`, file] })
    await waitForLine(program, /target ready/)
    return program
  })
  const proxy = await startTcpProxy(port)
  place.t.after(() => proxy.close())
  const elastic_writer = { url: `http://${proxy.address}`, index: 'records' }
  const sink = await startSink(place, 'ledgerbulk', { mode: 'elastic_writer', elastic_writer })
  const read = async (): Promise<Tally> => {
    const tally = new Tally('documents')
    const lines = (await readFile(file, 'utf8')).split('\n')
    for (const line of lines.slice(0, -1)) tally.add(Number(line.split(' ')[1]))
    return tally
  }
  return { sink, target, proxy, read }
}

/** Starts a sink to PostgreSQL; returns the reason if there is none. */
export async function rowSink(place: SinkContext, path: string | undefined): Promise<LedgerSink | string> {
  const postgres = await startPostgres(place.t, path)
  if (typeof postgres === 'string') return postgres
  const proxy = await startTcpProxy(postgres.port)
  place.t.after(() => proxy.close())
  const postgres_writer = { host: '127.0.0.1', port: proxy.port, user: 'tester', database: 'postgres', tls: false }
  const sink = await startSink(place, 'ledgerrows', { mode: 'postgres_writer', postgres_writer })
  const target: Restartable = {
    name: 'PostgreSQL',
    kill: (signal) => (signal === 'SIGKILL' ? postgres.kill() : postgres.stop()),
    start: () => postgres.start(),
  }
  const read = async (): Promise<Tally> => {
    const tally = new Tally('rows')
    const sql = `SELECT substring(left(record::text, 200000) from '\\{\\\\?"serial\\\\?":(\\d+)') FROM llm_gateway_records`
    for (const serial of postgres.query(sql)) tally.add(Number(serial))
    return tally
  }
  return { sink, target, proxy, read }
}

async function startSink(
  { t, folder, service_bus }: SinkContext,
  service: string,
  config: object,
): Promise<Restartable> {
  const file = join(folder, `${service}_config.json`)
  await writeFile(file, JSON.stringify({ ...config, service_bus }))
  return startRestartable(t, `the sink ${service}`, () =>
    startProgram({ command: process.execPath, args: [SINK_MAIN, '-o', file] }),
  )
}

async function startRestartable(t: TestContext, name: string, run: () => Promise<Program>): Promise<Restartable> {
  let program = await run()
  t.after(() => program.stop())
  return {
    name,
    kill: async (signal) => {
      program.kill(signal)
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await program.exited
    },
    start: async () => {
      program = await run()
    },
  }
}

async function untilDone(nats: NatsServer, sinks: readonly LedgerSink[]): Promise<void> {
  await using client = await connectBusClient(nats)
  const end = performance.now() + WAIT_MS
  for (const { sink } of sinks) {
    const service = sink.name.split(' ').at(-1)
    for (;;) {
      const answer = await client.request(`$JS.API.CONSUMER.INFO.records_llm.${service}`, new Uint8Array())
      const text = Buffer.from(answer).toString()
      const { num_pending: pending, num_ack_pending: open } = JSON.parse(text)
      if (pending === 0 && open === 0) break
      if (performance.now() > end) throw new Error(`${sink.name} isn't done: ${text}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
