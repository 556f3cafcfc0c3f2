/**
 * Counts the bytes of all bodies held at once (limits.buffered_bytes), so that many large calls are refused instead of
 * ending the process.
 */
export type BodyBudget = {
  /** False where it would exceed the limit; nothing is taken then. */
  reserve(bytes: number): boolean
  /** Takes without asking: for answers, which are never refused once they flow. */
  add(bytes: number): void
  release(bytes: number): void
}

export function createBodyBudget(limitBytes: number): BodyBudget {
  let held = 0
  return {
    reserve(bytes) {
      if (held + bytes > limitBytes) return false
      held += bytes
      return true
    },
    add(bytes) {
      held += bytes
    },
    release(bytes) {
      held -= bytes
    },
  }
}
