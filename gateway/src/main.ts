#!/usr/bin/env node
import { restartCommand } from '@llm-gateway/conf/restart-command'
import { processOptions } from './process-options.ts'

// Nothing else is imported here, so that a process that replaces itself does so at once.
const restart = restartCommand(process, processOptions)
if (restart !== undefined) process.execve?.(restart.file, restart.args, restart.environment)
const { runProgram } = await import('./program.ts')
await runProgram(process.argv.slice(2), process.env)
