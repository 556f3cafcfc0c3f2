/** The share of a room that a router with more than this share leaves to the others. */
const LEFT_SHARE = 1 / 4

/**
 * Counts the bytes of each router in a room that routers share. As in the memory account, a router with more than a
 * quarter of the room leaves the last quarter to others. A router without bytes has no place in the table, so that the
 * table has at most as many places as the room has records, and a removed router keeps its place until its records leave.
 */
export class RouterShares {
  readonly #roomBytes: number
  readonly #routers = new Map<string, number>()
  readonly #large = new Set<string>()

  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes
  }

  /** The bytes that large routers may fill together. */
  get sharedBytes(): number {
    return this.#roomBytes * (1 - LEFT_SHARE)
  }

  bytesOf(router: string): number {
    return this.#routers.get(router) ?? 0
  }

  /** Counts bytes; a negative number releases them. */
  count(router: string, bytes: number): void {
    const sum = this.bytesOf(router) + bytes
    if (sum > 0) this.#routers.set(router, sum)
    else this.#routers.delete(router)
    if (sum > this.#roomBytes * LEFT_SHARE) this.#large.add(router)
    else this.#large.delete(router)
  }

  /** Returns true where a router with `bytes` more has a quarter of the room at most, and may use all of it. */
  isSmall(router: string, bytes: number): boolean {
    return this.bytesOf(router) + bytes <= this.#roomBytes * LEFT_SHARE
  }

  /** The routers with more than a quarter: few, since their bytes have room together. */
  get large(): Iterable<string> {
    return this.#large
  }
}
