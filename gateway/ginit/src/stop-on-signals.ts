import { isReaderGone } from './output.ts'
import type { Supervisor } from './supervise.ts'

/** The used parts of `process`. */
export type SignalSource = {
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect' | 'exit', listener: () => void): unknown
  readonly stdout: { on(event: 'error', listener: (error: Error) => void): unknown }
}

/** Stops the services in order at the first signal and kills them at the second. No service outlives this process. */
export function stopOnSignals(supervisor: Supervisor, process: SignalSource): void {
  let isStopping = false
  const stop = () => {
    if (isStopping) supervisor.kill()
    isStopping = true
    supervisor.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // The parent process has ended, or the program that reads our output has ended.
  process.on('disconnect', () => supervisor.stop())
  process.stdout.on('error', (error) => {
    if (isReaderGone(error)) supervisor.stop()
  })
  process.on('exit', () => supervisor.kill())
}
