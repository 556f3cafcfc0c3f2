import type { KeyValue, KeyValueEntry, WriteOutcome } from '@llm-gateway/sdk'

type Changed = (key: string, entry: KeyValueEntry | undefined) => void
type Failure = Extract<WriteOutcome, { kind: 'failed' }>['error']

/** A bucket in memory that several replicas open; the test controls its failures. */
export class Bucket {
  readonly entries = new Map<string, KeyValueEntry>()
  readonly writes: string[] = []
  /** The failure of all writes; undefined: writes succeed. */
  failure: Failure | undefined
  /** True: the bucket can't be read, nothing is reported, and `ready` stays pending. */
  away = false
  /** Writes wait for this promise; changes are reported before the outcome. */
  hold: Promise<void> | undefined
  readonly #watchers = new Set<Changed>()
  #revision = 0

  /** Opens one replica's view of the bucket. */
  open(): KeyValue {
    return {
      get: async (key) => {
        if (this.away) return { kind: 'failed', error: 'unavailable' }
        const entry = this.entries.get(key)
        return entry === undefined ? { kind: 'missing' } : { kind: 'found', entry }
      },
      put: (key, value) => this.write(key, value),
      update: async () => ({ kind: 'conflict' }),
      delete: (key) => this.write(key, undefined),
      watch: (changed) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        if (!this.away) {
          this.#watchers.add(changed)
          queueMicrotask(() => {
            for (const [key, entry] of this.entries) changed(key, entry)
            resolve()
          })
        }
        return {
          ready: promise,
          close: async () => {
            this.#watchers.delete(changed)
          },
        }
      },
    }
  }

  async write(key: string, value: Uint8Array | undefined): Promise<WriteOutcome> {
    await this.hold
    const error = this.away ? 'unavailable' : this.failure
    if (error !== undefined) return { kind: 'failed', error }
    this.writes.push(`${value === undefined ? 'delete' : 'put'} ${key}`)
    this.#revision += 1
    const revision = this.#revision
    const entry = value === undefined ? undefined : { value: new Uint8Array(value), revision }
    this.entries.delete(key)
    if (entry !== undefined) this.entries.set(key, entry)
    for (const changed of this.#watchers) changed(key, entry)
    return { kind: 'written', revision }
  }
}
