import type { Worker } from 'node:worker_threads'

const CHECK_MS = 50
const BYTES_PER_MEGABYTE = 1024 * 1024

/**
 * Returns V8's limit in MB for a thread whose heap may hold `megabytes`. V8 ends a thread at this limit only where the
 * heap grows in small steps; a large array that grows there ends the process (nodejs/node issue 47224). So this limit
 * is far above the one that `watchHeap` keeps.
 */
export function limitOfV8(megabytes: number): number {
  return Math.ceil(1.5 * megabytes) + 512
}

/** Calls `onFull` once the thread's heap, with its garbage, has more than `megabytes`. Ends with the thread. */
export function watchHeap(worker: Worker, megabytes: number, onFull: () => void): void {
  const check = async (): Promise<void> => {
    const { used_heap_size: used } = await worker.getHeapStatistics()
    if (used > megabytes * BYTES_PER_MEGABYTE) onFull()
    else checkLater()
  }
  const checkLater = (): void => {
    // The question rejects when the thread has ended.
    setTimeout(() => void check().catch(() => undefined), CHECK_MS).unref()
  }
  checkLater()
}
