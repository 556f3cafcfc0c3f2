/**
 * Counts every byte that calls hold at once, in every form: bodies as they arrive, answers, decoded and compact copies,
 * messages to processors, and records until the bus has them. limits.buffered_bytes bounds the sum
 * (docs/reference/http.md#memory).
 *
 * No router and no connection locks out the others: one that holds more than a quarter leaves the last quarter free, and
 * small calls of such a router may use half of that quarter. A single call may hold everything.
 */
export class MemoryAccount {
  readonly #limitBytes: number
  readonly #routers = new Map<string, Share>()
  /** Calls whose bodies are still coming. No Set: it would keep them beyond their end (see InboundConnection). */
  readonly #incoming: IncomingBody[] = []
  readonly #nowMs: () => number
  #heldBytes = 0

  constructor(limitBytes: number, nowMs: () => number = () => performance.now()) {
    this.#limitBytes = limitBytes
    this.#nowMs = nowMs
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Begins a call's part; `connection` is shared by the calls of one connection. */
  open(router: string, connection: Share): Holding {
    let share = this.#routers.get(router)
    if (share === undefined) {
      if (this.#routers.size >= MOST_ROUTERS) this.#forgetIdle()
      share = new Share()
      this.#routers.set(router, share)
    }
    return new Holding(this, share, connection)
  }

  /** True where `bytes` more fit now; takes nothing. */
  hasRoom(holding: Holding, bytes: number): boolean {
    return this.#heldBytes + bytes <= this.#mostFor(holding, bytes)
  }

  /**
   * For Holding: true and counted where there is room, if need be the room of callers that stopped sending; nobody loses
   * that to one who holds much already.
   */
  take(holding: Holding, bytes: number): boolean {
    const most = this.#mostFor(holding, bytes)
    while (this.#heldBytes + bytes > most) {
      if (most < this.#limitBytes || !this.#endLongestWaiting(holding)) return false
    }
    this.change(bytes)
    return true
  }

  /** For Holding: counts without asking. */
  change(bytes: number): void {
    this.#heldBytes += bytes
  }

  /** A body begins to come, in several pieces; it can be ended until it is complete. */
  follow(body: IncomingBody): void {
    this.#incoming.push(body)
  }

  complete(body: IncomingBody): void {
    const at = this.#incoming.indexOf(body)
    if (at === -1) return
    const last = this.#incoming.pop()
    if (last !== undefined && last !== body) this.#incoming[at] = last
  }

  #mostFor(holding: Holding, bytes: number): number {
    if (this.#heldBytes === holding.bytes) return this.#limitBytes
    const quarter = this.#limitBytes / 4
    const connection = holding.connection.bytes + bytes
    if (connection > quarter) return 3 * quarter
    if (holding.router.bytes + bytes <= quarter) return this.#limitBytes
    return connection > SMALL_BYTES ? 3 * quarter : 3.5 * quarter
  }

  /** False where no caller has been silent for long enough. */
  #endLongestWaiting(holding: Holding): boolean {
    let longest: IncomingBody | undefined
    for (const body of this.#incoming) {
      if (body.holding === holding || body.holding.bytes === 0) continue
      if (longest === undefined || body.arrivedMs < longest.arrivedMs) longest = body
    }
    if (longest === undefined || this.#nowMs() - longest.arrivedMs < SILENT_MS) return false
    this.complete(longest)
    longest.end()
    return true
  }

  #forgetIdle(): void {
    for (const [router, { bytes }] of this.#routers) if (bytes === 0) this.#routers.delete(router)
  }
}

/** Paths of routers that reloads took away stay until there are this many. */
const MOST_ROUTERS = 20_000

/** A call that holds no more than this is small. */
const SMALL_BYTES = 1024 * 1024
/** A caller whose body stands still for this long makes room for others. */
const SILENT_MS = 1_000

/** A body that comes in pieces. */
export type IncomingBody = {
  readonly holding: Holding
  /** When its last piece came, as `performance.now()` tells it. */
  readonly arrivedMs: number
  /** Ends the reading of it, which gives its bytes back. */
  readonly end: () => void
}

/** Bytes that the calls of one router, or of one connection, hold together. */
export class Share {
  bytes = 0
}

/** One call's part of the account. */
export class Holding {
  readonly router: Share
  readonly connection: Share
  readonly #account: MemoryAccount
  #bytes = 0

  constructor(account: MemoryAccount, router: Share, connection: Share) {
    this.#account = account
    this.router = router
    this.connection = connection
  }

  get bytes(): number {
    return this.#bytes
  }

  /** True where that many more fit now; takes nothing. */
  hasRoom(bytes: number): boolean {
    return this.#account.hasRoom(this, bytes)
  }

  /** False where there is no room: nothing is counted then. */
  take(bytes: number): boolean {
    if (!this.#account.take(this, bytes)) return false
    this.#count(bytes)
    return true
  }

  /** Counts bytes that are there already. */
  add(bytes: number): void {
    this.#account.change(bytes)
    this.#count(bytes)
  }

  /** Gives back at most what is held. */
  release(bytes: number): void {
    this.add(-Math.min(bytes, this.#bytes))
  }

  releaseAll(): void {
    this.add(-this.#bytes)
  }

  follow(body: IncomingBody): void {
    this.#account.follow(body)
  }

  complete(body: IncomingBody): void {
    this.#account.complete(body)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.router.bytes += bytes
    this.connection.bytes += bytes
  }
}
