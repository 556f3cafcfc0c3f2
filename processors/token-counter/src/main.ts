#!/usr/bin/env node
import { createLogger, parseCommandLine } from '@llm-gateway/conf'
import { stopSignal } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { loadConfig } from './load-config.ts'
import { planTokenCounter, runTokenCounter } from './run-token-counter.ts'

process.exit(await main())

async function main(): Promise<number> {
  // On Kubernetes the file is named by the environment (wire, 2).
  const file = process.env.PROCESSOR_CONFIG
  const command = parseCommandLine([...(file ? ['-o', file] : []), ...process.argv.slice(2)])
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
  const logger = createLogger({ service: 'tokencounter' })
  const config = await loadConfig(file, environment, logger)
  if (config === undefined) return 1
  logger.level = config.log_level
  if (validateOnly) return planTokenCounter({ config, environment, logger }) === undefined ? 1 : 0
  return await runTokenCounter({ config, environment, logger, signal, now: Date.now })
}
