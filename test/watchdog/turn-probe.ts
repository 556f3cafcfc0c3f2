// Preloaded into a gateway (`--import turn-probe.ts?file=FILE`): writes each step of the main thread's event loop that took long, and when it is told to,
// collects garbage and writes what memory is left.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Between two looks: a step's figures are too large by at most as much. */
const EVERY_MS = 2
const LONG_MS = 10
/** Objects whose finalizers a first collection runs are gone after a second one. */
const COLLECTIONS = 2
const file = new URL(import.meta.url).searchParams.get('file')

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function tellMemory(to: string): void {
  for (let i = 0; i < COLLECTIONS; i += 1) globalThis.gc?.()
  const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
  // Renamed: nobody reads half of it.
  writeFileSync(`${to}.new`, JSON.stringify({ heapTotal, heapUsed, external, arrayBuffers }))
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
  // `--expose-gc`: what is left after it is held by somebody.
  process.on('SIGUSR2', () => tellMemory(`${file}.memory`))
}
