#!/usr/bin/env node
import { createLogger, parseCommandLine } from '@llm-gateway/conf'
import { stopSignal } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { loadConfig } from './run/load-config.ts'
import { planSink, runSink } from './run/run-sink.ts'
import { serviceName } from './run/service-name.ts'

process.exit(await main())

async function main(): Promise<number> {
  const command = parseCommandLine(process.argv.slice(2))
  switch (command.kind) {
    case 'version':
      process.stdout.write(`${packageFile.version}\n`)
      return 0
    case 'usage':
      process.stderr.write(`${command.message}\n`)
      return 1
    case 'run':
    case 'validate':
      return await start(command.file, command.kind === 'validate')
    default:
      return command satisfies never
  }
}

async function start(file: string, validateOnly: boolean): Promise<number> {
  const { env: environment } = process
  const signal = stopSignal(process)
  const service = serviceName(file)
  const logger = createLogger({ service })
  const config = await loadConfig(file, environment, logger)
  if (config === undefined) return 1
  logger.level = config.log_level
  if (validateOnly) return (await planSink({ config, environment, logger, now: Date.now })) === undefined ? 1 : 0
  return await runSink({ config, service, environment, logger, signal, now: Date.now })
}
