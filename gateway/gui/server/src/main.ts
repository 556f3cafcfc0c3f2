import { replacement } from '@llm-gateway/conf/replacement'
import { wantedStart } from './wanted-start.ts'

// The program is imported only below: a process that is replaced should not load it first.
const restarted = replacement(process, wantedStart)
if (restarted !== undefined) process.execve?.(restarted.file, restarted.args, restarted.environment)
const { runProgram } = await import('./program.ts')
process.exitCode = await runProgram(process.argv.slice(2), process.env)
