#!/usr/bin/env node
import { replacement } from '@llm-gateway/conf/replacement'
import { wantedStart } from './wanted-start.ts'

// Nothing else is imported here: a process that is to be replaced is to be gone soon.
const better = replacement(process, wantedStart)
if (better !== undefined) process.execve?.(better.file, better.args, better.environment)
const { runProgram } = await import('./program.ts')
// At once: a socket of the NATS library whose attempt timed out would keep a stopped process alive.
process.exit(await runProgram(process.argv.slice(2), process.env))
