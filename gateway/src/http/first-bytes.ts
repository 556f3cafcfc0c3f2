/** The sizes of one class of first bytes differ by up to a tenth: this many classes double the size. */
const CLASSES_OF_DOUBLE = 8

type Holder = { cut(): void }
/** `next` is the index of the connection that is cut next. */
type SizeClass = { readonly holders: Holder[]; next: number }
/** `at` is the index of the connection in its class. */
type Place = { readonly holders: Holder[]; readonly bytes: number; at: number }

/**
 * The first bytes that wait for the parser on all connections of a port. Beyond their bound one of the largest is cut,
 * again and again. The connections are kept in classes of size, so that no cut looks at all of them.
 */
export class FirstBytes {
  readonly #most: number
  readonly #places = new Map<Holder, Place>()
  readonly #classes: (SizeClass | undefined)[] = []
  #waiting = 0

  constructor(most: number) {
    this.#most = most
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Counts the bytes of a connection until `remove`, at least one; may cut this connection or others. */
  add(holder: Holder, bytes: number): void {
    const { holders } = this.#classOf(bytes)
    this.#places.set(holder, { holders, bytes, at: holders.length })
    holders.push(holder)
    this.#waiting += bytes
    while (this.#waiting > this.#most) this.#cutLargest()
  }

  /** Returns false where the connection has no counted bytes. */
  remove(holder: Holder): boolean {
    const place = this.#places.get(holder)
    if (place === undefined) return false
    this.#places.delete(holder)
    this.#waiting -= place.bytes
    // The last connection of the class takes the place of this one.
    const last = place.holders.pop()
    const lastPlace = last === undefined ? undefined : this.#places.get(last)
    if (last === undefined || lastPlace === undefined) return true
    place.holders[place.at] = last
    lastPlace.at = place.at
    return true
  }

  #classOf(bytes: number): SizeClass {
    const index = Math.floor(Math.log2(bytes) * CLASSES_OF_DOUBLE)
    const found = this.#classes[index] ?? { holders: [], next: 0 }
    this.#classes[index] = found
    return found
  }

  #cutLargest(): void {
    const largest = this.#classes.findLast((each) => each !== undefined && each.holders.length > 0)
    if (largest === undefined) return
    const { holders, next } = largest
    // The newest connection, which stands last, takes the place of the one that is cut and waits for its next turn.
    const at = next < holders.length - 1 ? next : 0
    const holder = holders[at]
    if (holder === undefined) return
    largest.next = at + 1
    this.remove(holder)
    holder.cut()
  }
}
