/**
 * Items that wait by router: the routers take turns, and the items of a router stay in their order. A router with
 * thousands of items makes another router's item wait for one of them.
 */
export class FairQueue<Item> {
  /** In the order of their turns; a router without an item has no entry. */
  readonly #routers = new Map<string, Set<Item>>()

  get isEmpty(): boolean {
    return this.#routers.size === 0
  }

  add(router: string, item: Item): void {
    const items = this.#routers.get(router)
    if (items === undefined) this.#routers.set(router, new Set([item]))
    else items.add(item)
  }

  /** The item whose turn is next. */
  get first(): Item | undefined {
    for (const [first] of this.#routers.values()) return first
    return undefined
  }

  /** Takes the item whose turn is next; the router's other items stand behind one of each other router. */
  takeFirst(): Item | undefined {
    for (const [router, items] of this.#routers) {
      const [first] = items
      this.#routers.delete(router)
      if (first !== undefined) items.delete(first)
      if (items.size > 0) this.#routers.set(router, items)
      return first
    }
    return undefined
  }

  delete(router: string, item: Item): void {
    const items = this.#routers.get(router)
    items?.delete(item)
    if (items?.size === 0) this.#routers.delete(router)
  }

  /** The oldest item of each router. */
  *oldest(): Iterable<Item> {
    for (const [first] of this.#routers.values()) if (first !== undefined) yield first
  }
}
