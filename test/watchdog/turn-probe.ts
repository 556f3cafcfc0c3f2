// Preloaded into a gateway (`--import turn-probe.ts?file=FILE`): writes each turn of the main thread's event loop that took its CPU for long, and collects
// garbage when it is told to.
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Between two looks: a turn's figure is too large by at most as much. */
const EVERY_MS = 2
const LONG_MS = 10
const file = new URL(import.meta.url).searchParams.get('file')

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

if (file !== null && isMainThread) {
  let before = cpuMs()
  setInterval(() => {
    const milliseconds = cpuMs() - before
    if (milliseconds >= LONG_MS) appendFileSync(file, `${Date.now()} ${milliseconds.toFixed(1)}\n`)
    before = cpuMs()
  }, EVERY_MS).unref()
  // `--expose-gc`: what is left after it is held by somebody.
  process.on('SIGUSR2', () => globalThis.gc?.())
}
