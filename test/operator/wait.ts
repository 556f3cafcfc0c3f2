import { setTimeout as pause } from 'node:timers/promises'

export type Patience = { readonly withinMs?: number; readonly everyMs?: number }

/** Polls `read` until it returns a value. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined> | T | undefined,
  { withinMs = 120_000, everyMs = 50 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await read()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await pause(everyMs)
  }
}

/**
 * Polls within one quiet time. A pause of this process makes one poll late, and the next polls see the later changes.
 */
const LOOKS = 10

/** Waits until a count has not changed for `quietMs`. */
export async function untilQuiet(count: () => number, quietMs: number): Promise<void> {
  let last = count()
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await pause(quietMs / LOOKS)
    if (count() !== last) looks = -1
    last = count()
  }
}

/** Runs an action for all items, at most `atOnce` in parallel. The first failure ends the rest. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await act(item)
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
