#!/usr/bin/env node
import { replacement } from '@llm-gateway/conf/replacement'
import { wantedStart } from './wanted-start.ts'

// Nothing else is imported here, so that a process that replaces itself does so at once.
const better = replacement(process, wantedStart)
if (better !== undefined) process.execve?.(better.file, better.args, better.environment)
const { runProgram } = await import('./program.ts')
// The process exits at once, because a socket of the NATS library whose attempt timed out would keep it alive.
process.exit(await runProgram(process.argv.slice(2), process.env))
