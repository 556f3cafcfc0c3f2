/**
 * Measures the longest turn of the event loop in this thread's CPU time, which doesn't depend on the machine's load.
 */
export function watchTasks(): { readonly ms: number; [Symbol.dispose](): void } {
  let longest = 0
  let running = true
  let last = process.threadCpuUsage()
  const measure = (): void => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (running) setImmediate(measure)
  }
  setImmediate(measure)
  return {
    get ms() {
      return longest
    },
    [Symbol.dispose]: () => {
      running = false
    },
  }
}
