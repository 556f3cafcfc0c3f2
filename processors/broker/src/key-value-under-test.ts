import type { KeyValue, KeyValueEntry, WriteOutcome } from '@llm-gateway/sdk'

type Changed = Parameters<KeyValue['watch']>[0]

const UNAVAILABLE = { kind: 'failed', error: 'unavailable' } as const

/** A bucket in memory that can be unavailable for a while. */
export class FakeKeyValue implements KeyValue {
  readonly entries = new Map<string, KeyValueEntry>()
  readonly #watches = new Set<Changed>()
  #revision = 0
  #available = true

  /** Sets whether the bucket can be reached; on its return all entries are reported to the watches again. */
  set available(available: boolean) {
    this.#available = available
    if (available) for (const changed of this.#watches) this.#reportAll(changed)
  }

  /** Loses all entries, like a bus that restarts without its files. */
  lose(): void {
    const keys = [...this.entries.keys()]
    this.entries.clear()
    for (const key of keys) this.#report(key, undefined)
  }

  get: KeyValue['get'] = async (key) => {
    if (!this.#available) return UNAVAILABLE
    const entry = this.entries.get(key)
    return entry === undefined ? { kind: 'missing' } : { kind: 'found', entry }
  }

  put: KeyValue['put'] = async (key, value) => {
    if (!this.#available) return UNAVAILABLE
    return this.#write(key, { value, revision: ++this.#revision })
  }

  update: KeyValue['update'] = async () => UNAVAILABLE

  delete: KeyValue['delete'] = async (key) => this.#write(key, undefined)

  watch: KeyValue['watch'] = (changed) => {
    this.#watches.add(changed)
    if (this.#available) this.#reportAll(changed)
    return {
      ready: Promise.resolve(),
      close: async () => {
        this.#watches.delete(changed)
      },
    }
  }

  #write(key: string, entry: KeyValueEntry | undefined): WriteOutcome {
    if (entry === undefined) this.entries.delete(key)
    else this.entries.set(key, entry)
    this.#report(key, entry)
    return { kind: 'written', revision: this.#revision }
  }

  #report(key: string, entry: KeyValueEntry | undefined): void {
    for (const changed of this.#watches) changed(key, entry)
  }

  #reportAll(changed: Changed): void {
    for (const [key, entry] of this.entries) changed(key, entry)
  }
}
