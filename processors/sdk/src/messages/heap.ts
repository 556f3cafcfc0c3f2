/** The place of an item in its heap; `NOWHERE` in none. */
type Placed = { place: number }

export const NOWHERE = -1

/** Finds the first of its items at once. An item that was changed is settled in a few comparisons. */
export class Heap<Item extends Placed> {
  readonly #isBefore: (one: Item, other: Item) => boolean
  /** Each item is before or equal to the items at twice its place plus one, and plus two. */
  readonly #items: Item[] = []

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  /** Adds an item, or gives a changed one its place. */
  settle(item: Item): void {
    if (item.place === NOWHERE) item.place = this.#items.push(item) - 1
    this.#raise(item)
    this.#sink(item)
  }

  remove(item: Item): void {
    if (item.place === NOWHERE) return
    const last = this.#items.pop()
    if (last !== undefined && last !== item) {
      this.#put(last, item.place)
      this.settle(last)
    }
    item.place = NOWHERE
  }

  #raise(item: Item): void {
    while (item.place > 0) {
      const above = this.#items[(item.place - 1) >> 1]
      if (above === undefined || !this.#isBefore(item, above)) return
      this.#swap(item, above)
    }
  }

  #sink(item: Item): void {
    for (let below = this.#firstBelow(item); below !== undefined; below = this.#firstBelow(item)) {
      if (!this.#isBefore(below, item)) return
      this.#swap(item, below)
    }
  }

  #firstBelow({ place }: Item): Item | undefined {
    const [one, other] = [this.#items[2 * place + 1], this.#items[2 * place + 2]]
    return one !== undefined && other !== undefined && this.#isBefore(other, one) ? other : one
  }

  #swap(one: Item, other: Item): void {
    const { place } = one
    this.#put(one, other.place)
    this.#put(other, place)
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item
    item.place = place
  }
}
