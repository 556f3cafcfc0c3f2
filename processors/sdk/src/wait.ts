import { setTimeout as sleep } from 'node:timers/promises'

/** Waits; returns false at once when the signal aborts. */
export async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal })
    return true
  } catch (error) {
    if (signal?.aborted === true) return false
    throw error
  }
}

/** Returns the promise's value; throws a TimeoutError when the promise takes longer than `timeoutMs`. */
export async function withDeadline<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DOMException('too late', 'TimeoutError')), timeoutMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the promise's value; undefined when the promise rejects or takes longer than `timeoutMs`. */
export async function withinTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  return await withDeadline(promise, timeoutMs).catch(() => undefined)
}
