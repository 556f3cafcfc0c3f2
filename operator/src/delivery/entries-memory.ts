/** Remembers the entries of the last configurations, so that not every pod has to be asked for them. */
export class EntriesMemory {
  readonly #most = 16
  readonly #entries = new Map<string, ReadonlyMap<string, string>>()

  get(digest: string): ReadonlyMap<string, string> | undefined {
    return this.#entries.get(digest)
  }

  set(digest: string, entries: ReadonlyMap<string, string>): void {
    this.#entries.delete(digest)
    this.#entries.set(digest, entries)
    const oldest = this.#entries.keys().next().value
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest)
  }
}
