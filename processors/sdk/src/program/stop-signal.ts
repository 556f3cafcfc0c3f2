/** The signals of `process` that `stopSignal` listens to. */
export type SignalSource = { once(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown }

/** Returns a signal that aborts at SIGTERM or SIGINT. */
export function stopSignal(source: SignalSource): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  source.once('SIGTERM', stop)
  source.once('SIGINT', stop)
  return controller.signal
}

/** Resolves when the signal aborts; at once when it already has. */
export async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
