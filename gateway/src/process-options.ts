import { join } from 'node:path'
import type { ProcessOptions } from '@llm-gateway/conf/restart-command'
import { findJemalloc, jemallocVariables } from './jemalloc.ts'

/**
 * Node flags of the gateway, which its caller can override; each was measured with full records on.
 * - A young generation of 3 × 8 MiB instead of 3 × 16 takes less memory. Large bodies are allocated there and freed
 *   before they are marked (a third of the CPU at 1 MB).
 * - The middle compiler is off: its jobs take 20 MiB beside the heap that are never returned, and hot code is fully
 *   optimized within a second anyway.
 * - The old generation is collected when it has grown by half, not fourfold: this saves 8 MiB for an additional
 *   collection every few seconds.
 * - No object is born in the old generation. V8 decides that while a process warms up, by places in the code whose objects
 *   stayed alive: three of twelve starts got there with an object of each call, which kept the rest of its call alive.
 *   For the process's whole life collections took ten times as long: 6,500 small calls per CPU-second instead of
 *   10,000, and a p99 of 20 ms instead of 4.
 * - Optimized code lives on while no call comes. When little happens, V8 collects the heap twice to return memory. The
 *   hidden classes of a call's objects end there, since no call is open, and with them all code that was optimized for
 *   them. 16 streams that began together each second then waited 5 to 7 ms for their first byte instead of 2.
 */
const flags = [
  '--max-semi-space-size=8',
  '--no-maglev',
  '--heap-growing-percent=50',
  '--no-allocation-site-pretenuring',
  '--no-memory-reducer-favors-memory',
  '--retain-maps-for-n-gc=1000',
] as const

/**
 * Variables of the gateway, which its caller can override. glibc reads the first three, where there is no jemalloc.
 * - glibc gives every thread its own heap and returns little of it: one heap is enough.
 * - glibc allocates bodies of up to 32 MiB in that heap once one of them was freed. Small objects behind them keep free
 *   memory from being returned: 166 of 288 MiB were free after two minutes of hostile traffic. With the threshold,
 *   bodies of more than 1.25 MiB get pages of their own, which are returned at once (228 MiB resident instead of 335
 *   after six attacks in a row) for a fifth more CPU at 8 MB. Bodies of 1 MiB and less stay in the heap.
 * - With a compile cache node compiles less and doesn't load its TypeScript stripper, which takes 30 MB.
 */
const variables: Readonly<Record<string, string>> = {
  ...jemallocVariables(findJemalloc()),
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '1310720',
  // glibc adapts this value only while the threshold above isn't set. Its default of 128 KiB would return the heap's
  // end after each large body. The kept end is resident: 16 MiB take 3 MiB more with bodies of 10 KB and kept records,
  // measured in paired runs.
  MALLOC_TRIM_THRESHOLD_: '2097152',
  // The cache is beside the code, not in a temporary directory: a writer of the cache can change the gateway's code.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/llm-gateway'),
}

/** The flags and variables that the gateway starts with. */
export const processOptions: ProcessOptions = { flags, variables }
