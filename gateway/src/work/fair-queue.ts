/**
 * Items that wait, each of an owner: a router, or an LLM API. The owners take turns, and the items of an owner stay in
 * their order, so that an owner with thousands of items makes another owner's item wait for one of them.
 */
export class FairQueue<Item> {
  /** In the order of their turns; an owner without an item has no entry. */
  readonly #owners = new Map<string, Set<Item>>()

  get isEmpty(): boolean {
    return this.#owners.size === 0
  }

  add(owner: string, item: Item): void {
    const items = this.#owners.get(owner)
    if (items === undefined) this.#owners.set(owner, new Set([item]))
    else items.add(item)
  }

  /** The item whose turn is next. */
  get first(): Item | undefined {
    for (const [first] of this.#owners.values()) return first
    return undefined
  }

  /** Takes the item whose turn is next; its owner's other items stand behind one of each other owner. */
  takeFirst(): Item | undefined {
    for (const [owner, items] of this.#owners) {
      const [first] = items
      this.#owners.delete(owner)
      if (first !== undefined) items.delete(first)
      if (items.size > 0) this.#owners.set(owner, items)
      return first
    }
    return undefined
  }

  delete(owner: string, item: Item): void {
    const items = this.#owners.get(owner)
    items?.delete(item)
    if (items?.size === 0) this.#owners.delete(owner)
  }

  /** The oldest item of each owner. */
  *oldest(): Iterable<Item> {
    for (const [first] of this.#owners.values()) if (first !== undefined) yield first
  }
}
