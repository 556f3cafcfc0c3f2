import type { Worker } from 'node:worker_threads'

const CHECK_MS = 50
const BYTES_PER_MEGABYTE = 1024 * 1024

/** The MB that a thread's heap can grow by while a busy machine keeps its watch waiting. */
const LATE_WATCH_MEGABYTES = 4_096

/**
 * Returns V8's limit in MB for a thread whose heap may hold `megabytes`. V8 ends a thread at this limit only where the
 * heap grows in small steps; a large array that grows there, or one long JSON text, ends the process (nodejs/node issue
 * 47224). So this limit is far above the one that `watchHeap` keeps, and has no cost: V8 reserves nothing for it.
 */
export function limitOfV8(megabytes: number): number {
  return Math.ceil(1.5 * megabytes) + LATE_WATCH_MEGABYTES
}

/** Calls `onFull` once the thread's heap, with its garbage, has more than `megabytes`. Ends with the thread. */
export function watchHeap(worker: Worker, megabytes: number, onFull: () => void): void {
  let hasEnded = false
  worker.once('exit', () => {
    hasEnded = true
  })
  const check = async (): Promise<void> => {
    const used = await usedBytes(worker)
    if (hasEnded) return
    if (used > megabytes * BYTES_PER_MEGABYTE) onFull()
    else checkLater()
  }
  const checkLater = (): void => {
    setTimeout(() => void check(), CHECK_MS).unref() // never rejects
  }
  void check() // never rejects
}

/** Returns 0 for a thread that is still starting or has ended, whose heap can't be asked for. */
async function usedBytes(worker: Worker): Promise<number> {
  try {
    const { used_heap_size: used } = await worker.getHeapStatistics()
    return used
  } catch {
    return 0
  }
}
