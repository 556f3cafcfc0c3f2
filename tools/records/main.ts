import { resolve } from 'node:path'
import { DEFAULT_BUS_PREFIX, loggerSubject } from '@llm-gateway/protocol'
import { busOptions, connectBus, type Logger, stopped, stopSignal } from '@llm-gateway/sdk'
import { readEnvironmentFile } from '../run/environment-file.ts'
import { busHint } from './bus-hint.ts'
import { createRecordLine } from './record-line.ts'

const file = resolve(import.meta.dirname, '../..', process.env.RUN_DIR ?? '.run', 'env')
const environment = { ...readEnvironmentFile(file), ...process.env }
const report = (fields: object, message: string) => {
  console.error(`records: ${message} ${JSON.stringify(fields)}`)
  const hint = busHint(fields)
  if (hint !== undefined) console.error(`records: ${hint}`)
}
const logger: Logger = { info: report, warn: report, error: report }
const recordLine = createRecordLine(process.argv[2] ?? '')
const subject = loggerSubject(environment.BUS_PREFIX || DEFAULT_BUS_PREFIX)
const signal = stopSignal(process)

const options = busOptions(environment)
if (options === undefined) {
  console.error('records: GATEWAY_HOST is not a host or host:port')
  process.exitCode = 1
} else {
  const bus = await connectBus({ ...options, name: 'records', logger, signal })
  if (bus !== undefined) {
    // A queue of our own: the records of the others stay theirs.
    const queue = `records-${process.pid}-${Date.now()}`
    await bus.subscribe({ subject, queue, receive: ({ bytes }) => console.log(recordLine(bytes)) })
    console.error(`records: waiting for records on ${subject}, Ctrl-C ends`)
    await stopped(signal)
    await bus.close()
  }
}
