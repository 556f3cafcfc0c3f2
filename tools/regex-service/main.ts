import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createLogger } from '@llm-gateway/conf'
import { isRe2Ready } from '../re2/ensure-re2.ts'
import { regexService } from './regex-service.ts'

const root = join(import.meta.dirname, '../..')
const LOOK_AGAIN_MS = 1_000

process.exitCode = await regexService(process.argv.slice(2), {
  isReady: () => isRe2Ready(root),
  logger: createLogger({ service: 'regex' }),
  pause: () => pause(LOOK_AGAIN_MS),
  // Replaces this process, so that signals, output and process id are the processor's own.
  replaceProcess: (args) =>
    process.execve?.(process.execPath, [process.execPath, join(root, 'processors/regex/src/main.ts'), ...args]),
})
