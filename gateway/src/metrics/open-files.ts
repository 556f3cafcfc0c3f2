import { readdir } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'

export const OPEN_FILES = 'process_open_fds'
/** A scrape waits this long: a disk that hangs may hold all threads that read files. */
const MOST_WAIT_MS = 200

/**
 * Replaces prom-client's gauge, which reads the list of open files on the main thread. The gauge shows the last number
 * where `count` takes long, and nothing before the first one.
 */
export function showOpenFiles(register: Registry, count: () => Promise<number>): void {
  register.removeSingleMetric(OPEN_FILES)
  let counting: Promise<void> | undefined
  const gauge: Gauge = new Gauge({
    name: OPEN_FILES,
    help: 'Number of open file descriptors.',
    registers: [register],
    collect: () => {
      counting ??= count()
        .then(
          (files) => gauge.set(files),
          () => undefined,
        )
        .then(() => {
          counting = undefined
        })
      return orLate(counting)
    },
  })
  gauge.remove()
}

/** Returns the number of open files of this process. */
export async function countOpenFiles(): Promise<number> {
  const files = await readdir('/proc/self/fd')
  // The folder, which is open while it is read, is among these files.
  return files.length - 1
}

/** Resolves with `work`, which never rejects, or after the longest wait. */
async function orLate(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, MOST_WAIT_MS)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
