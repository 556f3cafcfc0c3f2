#!/usr/bin/env node
import { createLogger, parseCommandLine } from '@llm-gateway/conf'
import { boot } from './boot.ts'

const command = parseCommandLine(process.argv.slice(2))
const logger = createLogger({ service: 'gl' })
if (command.kind === 'run') {
  const running = await boot({ file: command.file, environment: process.env, logger })
  process.on('SIGTERM', () => running.close())
}
