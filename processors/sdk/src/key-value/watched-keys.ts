import type { KeyValueEntry } from './key-value.ts'

type Changed = (key: string, entry: KeyValueEntry | undefined) => void
type KeyState = { round: number; expires: number }

const MAX_TIMER_MS = 2_147_483_647

/**
 * The keys that a watcher knows. They reveal entries whose end the store doesn't report: those that ended during a lost
 * connection and those that expired. Holds as many keys as the bucket.
 */
export class WatchedKeys {
  readonly #changed: Changed
  readonly #ttlMs: number | undefined
  /** Ordered by expiry: all entries are kept equally long. */
  readonly #keys = new Map<string, KeyState>()
  #round = 0
  #timer: NodeJS.Timeout | undefined

  constructor(changed: Changed, ttlMs: number | undefined) {
    this.#changed = changed
    this.#ttlMs = ttlMs
  }

  /** Begins a round: the store reports all keys again. */
  begin(): void {
    this.#round += 1
  }

  /** Ends a round: keys that the store did not report are gone. */
  end(): void {
    for (const [key, { round }] of this.#keys) if (round !== this.#round) this.remove(key)
  }

  /** `written`: milliseconds since the epoch. */
  set(key: string, entry: KeyValueEntry, written: number): void {
    this.#keys.delete(key)
    this.#keys.set(key, { round: this.#round, expires: written + (this.#ttlMs ?? Number.POSITIVE_INFINITY) })
    this.#expireLater()
    this.#changed(key, entry)
  }

  remove(key: string): void {
    if (this.#keys.delete(key)) this.#changed(key, undefined)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#keys.clear()
  }

  #expireLater(): void {
    const [first] = this.#keys.values()
    if (this.#ttlMs === undefined || this.#timer !== undefined || first === undefined) return
    const waitMs = Math.min(Math.max(first.expires - Date.now(), 0), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#expire(), waitMs).unref()
  }

  #expire(): void {
    this.#timer = undefined
    for (const [key, { expires }] of this.#keys) {
      if (expires > Date.now()) break
      this.remove(key)
    }
    this.#expireLater()
  }
}
