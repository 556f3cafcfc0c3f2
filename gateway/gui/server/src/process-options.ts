import { join } from 'node:path'
import type { ProcessOptions } from '@llm-gateway/conf/restart-command'

/**
 * Node's options for the web interface. The process mostly waits, so a small heap is enough: while pages show 10,000
 * calls a minute the process holds 130 MiB resident instead of 182. V8's default young generation alone would take 53
 * MiB.
 */
export const processOptions: ProcessOptions = {
  flags: ['--max-semi-space-size=2', '--no-maglev', '--heap-growing-percent=50'],
  variables: {
    // glibc gives every thread its own heap and returns little of it.
    MALLOC_ARENA_MAX: '1',
    // Spares the 30 MB of Node's TypeScript stripper. The cache holds code, so it lies beside the code, where only
    // users who may change the code can write.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../../node_modules/.cache/llm-gateway'),
  },
}
