/**
 * Runs steps one after another, each with the code that awaits it, until `next` returns none or `ms` have passed. Rejects
 * where a step throws.
 */
export async function runSteps(ms: number, next: () => (() => void) | undefined): Promise<void> {
  const start = performance.now()
  for (let step = next(); step !== undefined; step = next()) {
    step()
    // The code that awaits the step's promise runs before this line continues, since its microtask was queued earlier.
    await undefined
    if (performance.now() - start >= ms) return
  }
}
