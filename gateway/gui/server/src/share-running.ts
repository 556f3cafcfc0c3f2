/** Returns a function whose callers share a call that is running: many callers may ask for the same at once. */
export function shareRunning<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
