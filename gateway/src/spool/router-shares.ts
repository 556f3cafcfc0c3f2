/** The share of a room that a router with more than this share leaves to the others. */
const LEFT_SHARE = 1 / 4

/** Above this number of routers those without bytes are forgotten. */
const MOST_ROUTERS = 4_096

type Share = { bytes: number; isLarge: boolean }

/**
 * Counts the bytes of each router in a room that routers share. As in the memory account, a router with more than a
 * quarter of the room leaves the last quarter to others. A router without bytes keeps its place for its next record:
 * a table in which each record adds its router and removes it costs more than the count.
 */
export class RouterShares {
  readonly #roomBytes: number
  readonly #routers = new Map<string, Share>()
  readonly #large = new Set<string>()
  /** The bytes whose router is unknown. */
  #unnamedBytes = 0
  #largeBytes: number
  #changes = 0

  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes
    this.#largeBytes = roomBytes * LEFT_SHARE
  }

  /** The bytes that large routers may fill together. */
  get sharedBytes(): number {
    return this.#roomBytes * (1 - LEFT_SHARE)
  }

  /** The number of changes so far. */
  get changes(): number {
    return this.#changes
  }

  bytesOf(router: string): number {
    return this.#routers.get(router)?.bytes ?? 0
  }

  /** Counts bytes; a negative number releases them. */
  count(router: string, bytes: number): void {
    this.#changes += 1
    const share = this.#shareOf(router)
    share.bytes = Math.max(0, share.bytes + bytes)
    const isLarge = share.bytes > this.#largeBytes
    if (isLarge === share.isLarge) return
    share.isLarge = isLarge
    if (isLarge) this.#large.add(router)
    else this.#large.delete(router)
  }

  /** Counts bytes whose router is unknown; a negative number releases them. Any router may have filled that room. */
  countUnnamed(bytes: number): void {
    this.#changes += 1
    this.#unnamedBytes += bytes
    this.#largeBytes = Math.max(0, this.#roomBytes - this.#unnamedBytes) * LEFT_SHARE
  }

  /**
   * Returns true where a router with `bytes` more has a quarter at most of the room without the unnamed bytes, and may use
   * all that is left.
   */
  isSmall(router: string, bytes: number): boolean {
    return this.bytesOf(router) + bytes <= this.#largeBytes
  }

  isLarge(router: string): boolean {
    return this.#large.has(router)
  }

  /** The routers with more than a quarter: few, since their bytes have room together. */
  get large(): Iterable<string> {
    return this.#large
  }

  #shareOf(router: string): Share {
    const known = this.#routers.get(router)
    if (known !== undefined) return known
    if (this.#routers.size >= MOST_ROUTERS) {
      for (const [path, { bytes }] of this.#routers) if (bytes === 0) this.#routers.delete(path)
    }
    const share = { bytes: 0, isLarge: false }
    this.#routers.set(router, share)
    return share
  }
}
