/** The configuration in force; who needs it for longer than a moment pins `current` first. */
export type LiveConfig<T> = {
  readonly current: T
  /** Replaces it for everyone who looks from now on. */
  swap(next: T): void
}

export function createLiveConfig<T>(initial: T): LiveConfig<T> {
  let current = initial
  return {
    get current() {
      return current
    },
    swap: (next) => {
      current = next
    },
  }
}
