import { resolve } from 'node:path'
import { DEFAULT_BUS_PREFIX, loggerSubject } from '@llm-gateway/protocol'
import {
  type BusClient,
  busOptions,
  connectBus,
  errorCode,
  type Logger,
  recordsOfFiles,
  recordsOfStream,
  stopped,
  stopSignal,
} from '@llm-gateway/sdk'
import { withKeptSecrets } from '../run/environment-file.ts'
import { parseRecordsCommand, type RecordsCommand, USAGE } from './command-line.ts'
import { busHint, createRecordLine } from './record-line.ts'

const file = resolve(import.meta.dirname, '../..', process.env.RUN_DIR ?? '.run', 'env')
const environment = withKeptSecrets(file, process.env)
const report = (fields: object, message: string) => {
  console.error(`records: ${message} ${JSON.stringify(fields)}`)
  const hint = busHint(fields)
  if (hint !== undefined) console.error(`records: ${hint}`)
}
const logger: Logger = { info: report, warn: report, error: report }
const prefix = environment.BUS_PREFIX || DEFAULT_BUS_PREFIX
const subject = loggerSubject(prefix)
const stream = `records_${prefix.replaceAll(/[^\w-]/g, '_')}`
const signal = stopSignal(process)
// The reader of the pipe may close it early.
process.stdout.on('error', () => process.exit(0))

const command = parseRecordsCommand(process.argv.slice(2), Date.now())
if (command === undefined) {
  console.error(`records: ${USAGE}`)
  process.exitCode = 1
} else if (command.files.length > 0) process.exitCode = await showFiles(command)
else process.exitCode = await showBus(command)

async function showFiles(command: RecordsCommand): Promise<number> {
  try {
    await show(recordsOfFiles(command.files, { ...command, signal }), command)
    return 0
  } catch (error) {
    const code = errorCode(error)
    // An unknown code is a bug and needs the whole error.
    if (!/^[EZ][A-Z_]+$/.test(code)) throw error
    report({ files: command.files, code }, "a file can't be read")
    return 1
  }
}

async function showBus(command: RecordsCommand): Promise<number> {
  const options = busOptions(environment)
  if (options === undefined) {
    console.error('records: GATEWAY_HOST is not a host or host:port')
    return 1
  }
  const giveUp = new AbortController()
  const { waitMs } = command
  const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp.abort(), waitMs)
  const any = AbortSignal.any([signal, giveUp.signal])
  const bus = await connectBus({ ...options, name: 'records', logger, signal: any })
  clearTimeout(timer)
  if (bus === undefined) return signal.aborted ? 0 : busAway()
  const isLive = command.query.sinceMs === undefined && isEmpty(command)
  const code = isLive ? await showLive(bus, command) : await showStored(bus, command)
  await bus.close()
  return code
}

async function showStored(bus: BusClient, command: RecordsCommand): Promise<number> {
  const state = await bus.streams.state(stream)
  if (state.kind === 'failed') return busAway()
  if (state.kind !== 'found') {
    console.error(`records: the bus stores no records (there is no stream ${stream}); --file reads the files of a sink`)
    return 1
  }
  let code = 0
  const over = (): void => {
    code = busAway()
  }
  const silenceLimit = command.waitMs === undefined ? undefined : { ms: command.waitMs, exceeded: over }
  await show(recordsOfStream({ streams: bus.streams, stream, silenceLimit }, { ...command, signal }), command)
  return code
}

function busAway(): number {
  console.error(
    'records: the bus does not answer, so the output is incomplete. --wait 5m waits longer, --file reads files',
  )
  return 1
}

async function show(records: AsyncIterable<Uint8Array>, { field }: RecordsCommand): Promise<void> {
  const recordLine = createRecordLine(field)
  for await (const record of records) {
    if (!process.stdout.write(`${recordLine(record)}\n`))
      await new Promise((next) => process.stdout.once('drain', next))
  }
}

/** Shows records published from now on, whether or not the bus keeps them. */
async function showLive(bus: BusClient, { field }: RecordsCommand): Promise<number> {
  const recordLine = createRecordLine(field)
  // A queue group of its own, so that other readers lose no record.
  const queue = `records-${process.pid}-${Date.now()}`
  await bus.subscribe({ subject, queue, receive: ({ bytes }) => console.log(recordLine(bytes)) })
  console.error(`records: waiting for records on ${subject}; Ctrl-C stops`)
  await stopped(signal)
  return 0
}

function isEmpty({ query: { router, session, statuses } }: RecordsCommand): boolean {
  return router === undefined && session === undefined && statuses.length === 0
}
