#!/usr/bin/env node
import { createLogger, parseCommandLine } from '@llm-gateway/conf'
import { connectBus, stopSignal } from '@llm-gateway/sdk'
import { listDeadLetters, resendDeadLetters, showDeadLetter } from './dead-letters/dead-letter-commands.ts'
import { loadConfig } from './run/load-config.ts'
import { planSink } from './run/run-sink.ts'
import { serviceName } from './run/service-name.ts'

const USAGE = 'usage: dead-letters.ts -o FILE list | show NUMBER | send NUMBER… | send all'

process.exit(await main(process.argv.slice(2)))

/** Lists, shows or resends the records that a sink's target has refused; returns the exit code. */
async function main([option = '', file = '', command = '', ...words]: readonly string[]): Promise<number> {
  const numbers = words.map((word) => (/^\d{1,15}$/.test(word) ? Number(word) : undefined))
  const isAll = command === 'send' && words.length === 1 && words[0] === 'all'
  const known = numbers.filter((number) => number !== undefined)
  const isUsed =
    { list: words.length === 0, show: known.length === 1, send: known.length > 0 || isAll }[command] === true
  if (parseCommandLine([option, file]).kind !== 'run' || !isUsed || (!isAll && known.length < words.length)) {
    process.stderr.write(`${USAGE}\n`)
    return 1
  }
  const { env: environment } = process
  const service = serviceName(file)
  const logger = createLogger({ service: 'dead-letters', write: (line) => process.stderr.write(line) })
  const config = await loadConfig(file, environment, logger)
  const plan = config && (await planSink({ config, environment, logger, now: Date.now }))
  if (config === undefined || plan === undefined) return 1
  const signal = stopSignal(process)
  const bus = await connectBus({ ...plan.place, name: `${service}-dead-letters`, logger, signal })
  if (bus === undefined) return 1
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  const subject = config.service_bus.topic_exact_logger
  const letters = { streams: bus.streams, subject, sink: service, print, signal }
  try {
    if (command === 'list') return await listDeadLetters(letters)
    if (command === 'show') return await showDeadLetter(known[0] ?? 0, letters)
    if (plan.writer === undefined) return 1
    return await resendDeadLetters(isAll ? 'all' : known, { ...letters, writer: plan.writer })
  } finally {
    await bus.close()
  }
}
