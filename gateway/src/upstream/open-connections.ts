/** Open connections to LLM APIs, by LLM API. */
export class OpenConnections<Connection extends { readonly origin: string }> {
  /** An LLM API without a connection has no set. */
  readonly #sets = new Map<string, Set<Connection>>()

  get origins(): Iterable<string> {
    return this.#sets.keys()
  }

  get isEmpty(): boolean {
    return this.#sets.size === 0
  }

  *[Symbol.iterator](): Iterator<Connection> {
    for (const set of this.#sets.values()) yield* set
  }

  has(origin: string): boolean {
    return this.#sets.has(origin)
  }

  of(origin: string): Iterable<Connection> {
    return this.#sets.get(origin) ?? []
  }

  add(connection: Connection): void {
    const { origin } = connection
    const set = this.#sets.get(origin)
    if (set === undefined) this.#sets.set(origin, new Set([connection]))
    else set.add(connection)
  }

  /** Returns false for a connection that isn't here. */
  delete(connection: Connection): boolean {
    const set = this.#sets.get(connection.origin)
    const isDeleted = set?.delete(connection) === true
    if (set?.size === 0) this.#sets.delete(connection.origin)
    return isDeleted
  }
}
