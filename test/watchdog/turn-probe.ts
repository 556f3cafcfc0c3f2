// Preloaded into a gateway (`--import turn-probe.ts?file=FILE`). Writes each long turn of the main thread's event loop
// and, on request, collects garbage and writes the memory that is left.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

/** Interval of the timer that measures turns; the times of a turn are too long by at most this interval. */
const EVERY_MS = 2
const LONG_MS = 10
/** A second collection removes objects whose finalizers ran in the first. */
const COLLECTIONS = 2
/** V8 keeps compiled code and the data of its deoptimization here. */
const CODE_SPACES: ReadonlySet<string> = new Set(['code_space', 'code_large_object_space', 'trusted_space'])
const file = new URL(import.meta.url).searchParams.get('file')

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function writeMemory(to: string): void {
  for (let i = 0; i < COLLECTIONS; i += 1) globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  const heapCode = getHeapSpaceStatistics()
    .filter(({ space_name }) => CODE_SPACES.has(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  // Renamed, so that readers never see half of it.
  writeFileSync(`${to}.new`, JSON.stringify({ heapUsed, heapCode, arrayBuffers }))
  renameSync(`${to}.new`, to)
}

if (file !== null && isMainThread) {
  let cpuBefore = cpuMs()
  let before = performance.now()
  setInterval(() => {
    const cpu = cpuMs() - cpuBefore
    const passed = performance.now() - before
    if (passed >= LONG_MS) appendFileSync(file, `${Date.now()} ${cpu.toFixed(1)} ${passed.toFixed(1)}\n`)
    cpuBefore = cpuMs()
    before = performance.now()
  }, EVERY_MS).unref()
  // After the collection (`--expose-gc`) only referenced memory is left.
  process.on('SIGUSR2', () => writeMemory(`${file}.memory`))
}
