/**
 * Items that wait, each of an owner: a router, or an LLM API. The owners take turns, and the items of an owner stay in
 * their order, so that an owner with thousands of items makes another owner's item wait for one of them.
 */
export class FairQueue<Item extends object> {
  /** An owner without an item has no line. */
  readonly #lines = new Map<string, Line<Item>>()
  /** The owners in the order of their turns. */
  readonly #turns = new Line<string>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  add(owner: string, item: Item): void {
    const line = this.#lines.get(owner)
    if (line !== undefined) {
      line.add(item)
      return
    }
    const newLine = new Line<Item>()
    newLine.add(item)
    this.#lines.set(owner, newLine)
    this.#turns.add(owner)
  }

  /** The item whose turn is next. */
  get first(): Item | undefined {
    const { first } = this.#turns
    return first === undefined ? undefined : this.#lines.get(first)?.first
  }

  /** Takes the item whose turn is next; its owner's other items stand behind one of each other owner. */
  takeFirst(): Item | undefined {
    const { first: owner } = this.#turns
    if (owner === undefined) return undefined
    const item = this.#lines.get(owner)?.first
    if (item !== undefined) this.delete(owner, item)
    if (this.#lines.has(owner)) {
      this.#turns.delete(owner)
      this.#turns.add(owner)
    }
    return item
  }

  delete(owner: string, item: Item): void {
    const line = this.#lines.get(owner)
    line?.delete(item)
    if (line?.isEmpty !== true) return
    this.#lines.delete(owner)
    this.#turns.delete(owner)
  }

  /** The oldest item of each owner. */
  *oldest(): Iterable<Item> {
    for (const { first } of this.#lines.values()) if (first !== undefined) yield first
  }
}

/** A set in the order of addition that finds its first item in one step; a new iterator passes every deleted place. */
class Line<Item> {
  readonly #items = new Set<Item>()
  /** Stands behind the first item. */
  #iterator = this.#items.values()
  #first: Item | undefined

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  get first(): Item | undefined {
    while (this.#first === undefined && this.#items.size > 0) {
      const { done, value } = this.#iterator.next()
      // An iterator that has ended doesn't see what is added later.
      if (done === true) this.#iterator = this.#items.values()
      else this.#first = value
    }
    return this.#first
  }

  add(item: Item): void {
    this.#items.add(item)
  }

  delete(item: Item): void {
    this.#items.delete(item)
    if (item === this.#first) this.#first = undefined
  }
}
