import { setTimeout as sleep } from 'node:timers/promises'

/** Waits; false at once when the signal says stop. */
export async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal })
    return true
  } catch (error) {
    if (signal?.aborted === true) return false
    throw error
  }
}

/** What the promise gives; throws a TimeoutError where that takes longer than `timeoutMs`. */
export async function limited<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DOMException('too late', 'TimeoutError')), timeoutMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** What the promise gives, undefined where it fails or takes longer than `timeoutMs`. */
export async function withinTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  return await limited(promise, timeoutMs).catch(() => undefined)
}
