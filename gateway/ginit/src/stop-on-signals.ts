import type { Supervisor } from './supervise.ts'

/** The parts of `process` that this needs. */
export type Process = {
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect' | 'exit', listener: () => void): unknown
  readonly stdout: { on(event: 'error', listener: () => void): unknown }
}

/**
 * The first signal stops the services in order, a second one kills them. No service outlives this process.
 */
export function stopOnSignals(supervisor: Supervisor, process: Process): void {
  let asked = false
  const stop = () => {
    if (asked) supervisor.kill()
    asked = true
    supervisor.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // The parent process has gone, or nobody reads our output any more.
  process.on('disconnect', () => supervisor.stop())
  process.stdout.on('error', () => supervisor.stop())
  process.on('exit', () => supervisor.kill())
}
