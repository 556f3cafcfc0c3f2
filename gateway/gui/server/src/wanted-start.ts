import { join } from 'node:path'
import type { WantedStart } from '@llm-gateway/conf/replacement'

/**
 * How the web interface wants to be started. It mostly waits, so its heap may be small: while pages look at 10,000 calls a
 * minute it holds 130 MiB resident instead of 182, and what V8 would take for the young alone is 53 of these.
 */
export const wantedStart: WantedStart = {
  flags: ['--max-semi-space-size=2', '--no-maglev', '--heap-growing-percent=50'],
  variables: {
    // glibc gives every thread a heap of its own, from which little returns.
    MALLOC_ARENA_MAX: '1',
    // Spares Node's TypeScript stripper with its 30 MB. Beside the code: who writes there writes the server's code.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../../node_modules/.cache/llm-gateway'),
  },
}
