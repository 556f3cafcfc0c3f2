import { replacement } from '@llm-gateway/conf/replacement'
import { wantedStart } from './wanted-start.ts'

// The program is imported only below: a process that is replaced should not load it first.
const better = replacement(process, wantedStart)
if (better !== undefined) process.execve?.(better.file, better.args, better.environment)
const { runProgram } = await import('./program.ts')
process.exitCode = await runProgram(process.argv.slice(2), process.env)
