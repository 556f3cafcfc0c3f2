import { replacement } from '@llm-gateway/conf/replacement'
import { wantedStart } from './wanted-start.ts'

// Nothing else is imported here: a process that is to be replaced is to be gone soon.
const better = replacement(process, wantedStart)
if (better !== undefined) process.execve?.(better.file, better.args, better.environment)
const { runProgram } = await import('./program.ts')
process.exitCode = await runProgram(process.argv.slice(2), process.env)
