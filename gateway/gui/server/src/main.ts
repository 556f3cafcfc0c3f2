import { restartCommand } from '@llm-gateway/conf/restart-command'
import { processOptions } from './process-options.ts'

// The program is imported only below: a process that is replaced should not load it first.
const restart = restartCommand(process, processOptions)
if (restart !== undefined) process.execve?.(restart.file, restart.args, restart.environment)
const { runProgram } = await import('./program.ts')
process.exitCode = await runProgram(process.argv.slice(2), process.env)
