import { join } from 'node:path'
import type { WantedStart } from '@llm-gateway/conf/replacement'

/**
 * Node flags the gateway runs with unless its caller says otherwise; each measured with full records on.
 * - A young generation of 3 × 8 MiB instead of 3 × 16: less memory, and large bodies, which are born there, die before they
 *   are marked (a third of the CPU at 1 MB).
 * - No middle compiler: its jobs take 20 MiB beside the heap that never return, and what is hot is optimized fully all the
 *   same within a second.
 * - An old generation that is collected when it has grown by half, not fourfold: 8 MiB for a collection more in some seconds.
 */
const flags = ['--max-semi-space-size=8', '--no-maglev', '--heap-growing-percent=50'] as const

/**
 * Variables the gateway runs with unless its caller says otherwise.
 * - glibc gives every thread a heap of its own, from which little returns: one is enough.
 * - glibc puts bodies of up to 32 MiB into that heap once one of them was freed. Small objects behind them keep their room
 *   from returning: 166 of 288 MiB were free after two minutes of hostile traffic. Bodies of more than 1.25 MiB get pages of
 *   their own, which return at once (228 MiB resident instead of 335, after six attacks in a row) for a fifth more CPU at
 *   8 MB; those of 1 MiB and less stay in the heap.
 * - The compile cache spares compiling, and node's TypeScript stripper with its 30 MB.
 */
const variables: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '1310720',
  // Set by glibc itself only while the one above isn't: its 128 KiB would give the heap's end back after each large body.
  // What the heap keeps at its end is resident: with 16 MiB it is 3 MiB more at 10 KB with kept records, in pairs.
  MALLOC_TRIM_THRESHOLD_: '2097152',
  // Beside the code, not in a temporary directory: who writes there writes the gateway's code.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/llm-gateway'),
}

/** How the gateway wants to be started. */
export const wantedStart: WantedStart = { flags, variables }
