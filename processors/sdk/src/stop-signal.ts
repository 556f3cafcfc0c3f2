/** The part of `process` this needs. */
export type SignalSource = { once(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown }

/** Aborts when the program is asked to end (SIGTERM, SIGINT). */
export function stopSignal(source: SignalSource): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  source.once('SIGTERM', stop)
  source.once('SIGINT', stop)
  return controller.signal
}

/** Resolves when the signal aborts, at once where it has. */
export async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
