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

  /** Returns whether an item of the owner waits. */
  has(owner: string): boolean {
    return this.#lines.has(owner)
  }

  /** Returns whether an item of another owner waits. */
  hasOther(owner: string): boolean {
    return this.#lines.size > (this.#lines.has(owner) ? 1 : 0)
  }

  /** The owners of which an item waits, in the order of their turns. */
  get owners(): Iterable<string> {
    return this.#turns
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

  /** The first item of an owner. */
  firstOf(owner: string): Item | undefined {
    return this.#lines.get(owner)?.first
  }

  /** Returns the item whose turn is next among the first items of the owners for which `admits` returns true. */
  find(admits: (item: Item) => boolean): Item | undefined {
    for (const owner of this.#turns) {
      const item = this.#lines.get(owner)?.first
      if (item !== undefined && admits(item)) return item
    }
    return undefined
  }

  /**
   * Takes the item whose turn is next among the owners that `admits` returns true for; its owner's other items stand
   * behind one of each other owner.
   */
  takeFirst(admits: (owner: string) => boolean = () => true): Item | undefined {
    const owner = this.#firstOf(admits)
    if (owner === undefined) return undefined
    const item = this.#lines.get(owner)?.first
    if (item !== undefined) this.delete(owner, item)
    if (this.#lines.has(owner)) {
      this.#turns.delete(owner)
      this.#turns.add(owner)
    }
    return item
  }

  /** Returns false where the item doesn't wait. */
  delete(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner)
    if (line?.delete(item) !== true) return false
    if (line.isEmpty) {
      this.#lines.delete(owner)
      this.#turns.delete(owner)
    }
    return true
  }

  #firstOf(admits: (owner: string) => boolean): string | undefined {
    for (const owner of this.#turns) if (admits(owner)) return owner
    return undefined
  }

  /** The oldest item of each owner. */
  *oldest(): Iterable<Item> {
    for (const { first } of this.#lines.values()) if (first !== undefined) yield first
  }
}

/** The place of an item in its line. */
type Place<Item> = { readonly item: Item; before: Place<Item> | undefined; behind: Place<Item> | undefined }

/**
 * Items in the order of addition; the first is found, and any is deleted, in one step. A Set alone can't do this: a new
 * iterator of it passes every deleted place, and an iterator that is kept retains all items of the Set's earlier tables.
 */
class Line<Item> {
  readonly #places = new Map<Item, Place<Item>>()
  #first: Place<Item> | undefined
  #last: Place<Item> | undefined

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  get first(): Item | undefined {
    return this.#first?.item
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let place = this.#first; place !== undefined; place = place.behind) yield place.item
  }

  add(item: Item): void {
    if (this.#places.has(item)) return
    const place: Place<Item> = { item, before: this.#last, behind: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.behind = place
    this.#last = place
    this.#places.set(item, place)
  }

  /** Returns false where the line doesn't have the item. */
  delete(item: Item): boolean {
    const place = this.#places.get(item)
    if (place === undefined) return false
    this.#places.delete(item)
    const { before, behind } = place
    if (before === undefined) this.#first = behind
    else before.behind = behind
    if (behind === undefined) this.#last = before
    else behind.before = before
    return true
  }
}
