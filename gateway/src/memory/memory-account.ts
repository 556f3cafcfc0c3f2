/**
 * Counts every byte that calls hold at once, in every form: bodies as they arrive, answers, decoded and compact copies,
 * messages to processors, and records until the bus has them. limits.buffered_bytes limits the sum
 * (docs/reference/http.md#memory). No router and no connection locks out the others: a router or connection that holds
 * more than a quarter leaves the last quarter free, and small calls of such a router may use half of that quarter. A
 * single call may hold everything.
 */
export class MemoryAccount {
  readonly #limitBytes: number
  readonly #routers = new Map<string, RouterShare>()
  /** Bodies that are still arriving. An array, because a Set would retain ended calls (see InboundConnection). */
  readonly #incoming: IncomingBody[] = []
  readonly #nowMs: () => number
  /** The last look for silent bodies in this turn of the event loop. A longer one would retain ended calls. */
  #look: Look | undefined
  readonly #forgetLook = (): void => {
    this.#look = undefined
  }
  #heldBytes = 0
  #spareBytes = 0

  constructor(limitBytes: number, nowMs: () => number = () => performance.now()) {
    this.#limitBytes = limitBytes
    this.#nowMs = nowMs
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Opens a call's part of the account; `connection` is the share of all calls of the connection. */
  open(router: string, connection: MemoryShare): CallMemory {
    let share = this.#routers.get(router)
    if (share === undefined) {
      if (this.#routers.size >= MAX_ROUTERS) this.#dropIdleRouters()
      share = new RouterShare(router)
      this.#routers.set(router, share)
    }
    return new CallMemory(this, share, connection)
  }

  /** Returns true where `bytes` more fit now; counts nothing. */
  hasRoom(memory: CallMemory, bytes: number): boolean {
    return this.#heldBytes + bytes <= this.#limitFor(memory, bytes)
  }

  /**
   * Returns true where an announced body of `bytes` fits now; counts nothing. Makes room for a small body as `take` does: a
   * large one, of which no byte may ever arrive, must not end the bodies of others.
   */
  admit(memory: CallMemory, bytes: number): boolean {
    return bytes <= SMALL_BYTES ? this.#makeRoom(memory, bytes) : this.hasRoom(memory, bytes)
  }

  /**
   * Counts `bytes` for a call and returns true where there is room, if necessary after ending bodies whose callers
   * stopped sending. Bodies are ended only for a call whose router and connection hold no more than a quarter.
   */
  take(memory: CallMemory, bytes: number): boolean {
    if (!this.#makeRoom(memory, bytes)) return false
    this.adjust(bytes)
    return true
  }

  /** Counts a call's bytes without a check. */
  adjust(bytes: number): void {
    this.#heldBytes += bytes
  }

  /** Returns true where `bytes` more of readings without room fit into `SPARE_BYTES`; counts nothing. */
  hasSpareRoom(memory: CallMemory, bytes: number): boolean {
    return this.#spareBytes + bytes <= this.#spareLimitFor(memory, bytes)
  }

  /** Counts bytes of readings for which there is no room, without a check. */
  adjustSpare(bytes: number): void {
    this.#spareBytes += bytes
  }

  /** Follows a body that has not arrived completely and can be ended. */
  trackIncoming(body: IncomingBody): void {
    body.at = this.#incoming.length
    this.#incoming.push(body)
  }

  untrackIncoming(body: IncomingBody): void {
    const { at } = body
    if (at === undefined) return
    body.at = undefined
    const last = this.#incoming.pop()
    if (last === undefined || last === body) return
    this.#incoming[at] = last
    last.at = at
  }

  #makeRoom(memory: CallMemory, bytes: number): boolean {
    const most = this.#limitFor(memory, bytes)
    if (this.#heldBytes + bytes <= most) return true
    if (most < this.#limitBytes) return false
    const silent = this.#silentBodies()
    const latestMs = this.#nowMs() - SILENT_MS
    for (let ended = 0; ended < MOST_ENDED; ) {
      const body = silent.pop()
      if (body === undefined) return false
      const { at, arrivedMs, memory: held } = body
      // Since the look the body may have ended or gone on.
      if (at === undefined || arrivedMs > latestMs || held === memory || held.bytes === 0) continue
      this.untrackIncoming(body)
      body.end()
      ended += 1
      if (this.#heldBytes + bytes <= most) return true
    }
    return false
  }

  #limitFor(memory: CallMemory, bytes: number): number {
    if (this.#heldBytes === memory.bytes) return this.#limitBytes
    const quarter = this.#limitBytes / 4
    const connection = memory.connection.bytes + bytes
    if (connection > quarter) return 3 * quarter
    if (memory.router.bytes + bytes <= quarter) return this.#limitBytes
    return connection > SMALL_BYTES ? 3 * quarter : 3.5 * quarter
  }

  /** As `#limitFor`, but without an exception for small calls: each call has only few such bytes. */
  #spareLimitFor({ router, connection, spareBytes }: CallMemory, bytes: number): number {
    if (this.#spareBytes === spareBytes) return SPARE_BYTES
    const quarter = SPARE_BYTES / 4
    return Math.max(router.spareBytes, connection.spareBytes) + bytes > quarter ? 3 * quarter : SPARE_BYTES
  }

  /**
   * Returns the silent bodies; the one that has been silent longest is the last. Those end last, and so come first, that
   * the gateway itself doesn't read, since their callers may have sent more; they can't be spared, because callers who
   * send many small pieces cause such pauses of all connections. The look at thousands of bodies takes milliseconds, and a
   * thousand calls may need room in one turn.
   */
  #silentBodies(): IncomingBody[] {
    const nowMs = this.#nowMs()
    if (this.#look !== undefined && nowMs - this.#look.atMs < LOOK_MS) return this.#look.bodies
    if (this.#look === undefined) setImmediate(this.#forgetLook)
    const silent = this.#incoming
      .filter(({ arrivedMs }) => arrivedMs <= nowMs - SILENT_MS)
      .sort((one, other) => one.arrivedMs - other.arrivedMs)
      .reverse()
    const { unread = [], read = [] } = Object.groupBy(silent, (body) => (body.isUnread() ? 'unread' : 'read'))
    const bodies = [...unread, ...read]
    this.#look = { atMs: nowMs, bodies }
    return bodies
  }

  #dropIdleRouters(): void {
    // A share that a call still uses must not be opened twice.
    for (const [router, { bytes, spareBytes, processorCalls }] of this.#routers) {
      if (bytes === 0 && spareBytes === 0 && processorCalls === 0) this.#routers.delete(router)
    }
  }
}

/** Above this number of routers, those removed by reloads included, idle routers are forgotten. */
const MAX_ROUTERS = 20_000

/**
 * The most bytes of answers, beyond the account's limit, that were read before it was known that there is no room for
 * them. They count apart, since above its limit the account would refuse the calls of other routers. They have the same
 * quarters as the account, so that the slow callers of one router break off no answers of others.
 */
const SPARE_BYTES = 64 * 1024 * 1024
/** The most bytes of a small call. */
const SMALL_BYTES = 1024 * 1024
/** The most bodies that are ended for one call: each end is an answer. */
const MOST_ENDED = 128
/** The milliseconds without a new piece after which a body can be ended to make room for others. */
const SILENT_MS = 1_000
/** Within this time the bodies of the last look are taken. */
const LOOK_MS = 20

type Look = { readonly atMs: number; readonly bodies: IncomingBody[] }

/** A body that has not arrived completely. */
export type IncomingBody = {
  readonly memory: CallMemory
  /** The time of its last piece, or of the begin of its reading, as `performance.now()`. */
  readonly arrivedMs: number
  /** True while the gateway itself reads nothing of it, or not yet again: then the caller may have sent more. */
  isUnread(): boolean
  /** Ends the reading of the body, which releases its bytes. */
  readonly end: () => void
  /** The account's own: the place of the body while the account follows it. */
  at?: number | undefined
}

/** The bytes that all calls of a router, or of a connection, hold. */
export class MemoryShare {
  bytes = 0
  /** The bytes that count beside the account. */
  spareBytes = 0
}

/** The bytes that all calls of a router hold, and their calls to processors. */
export class RouterShare extends MemoryShare {
  readonly path: string
  /** The calls to processors that wait for a reply. */
  processorCalls = 0

  constructor(path: string) {
    super()
    this.path = path
  }
}

/** A call's part of the memory account: counts every byte that the call holds. */
export class CallMemory {
  readonly router: RouterShare
  readonly connection: MemoryShare
  readonly #account: MemoryAccount
  #bytes = 0
  #spareBytes = 0

  constructor(account: MemoryAccount, router: RouterShare, connection: MemoryShare) {
    this.#account = account
    this.router = router
    this.connection = connection
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The bytes that count beside the account. */
  get spareBytes(): number {
    return this.#spareBytes
  }

  /** Opens a part for bytes that outlive the call; it counts for the same router and connection. */
  fork(): CallMemory {
    return new CallMemory(this.#account, this.router, this.connection)
  }

  /** Returns true where `bytes` more fit now; counts nothing. */
  hasRoom(bytes: number): boolean {
    return this.#account.hasRoom(this, bytes)
  }

  /** As `hasRoom`, for an announced body; may end bodies of others. */
  admit(bytes: number): boolean {
    return this.#account.admit(this, bytes)
  }

  /** Counts bytes; returns false, without counting, where there is no room. */
  take(bytes: number): boolean {
    if (!this.#account.take(this, bytes)) return false
    this.#count(bytes)
    return true
  }

  /** Counts bytes that exist already. */
  add(bytes: number): void {
    this.#account.adjust(bytes)
    this.#count(bytes)
  }

  /** Releases at most the held bytes. */
  release(bytes: number): void {
    this.add(-Math.min(bytes, this.#bytes))
  }

  releaseAll(): void {
    this.add(-this.#bytes)
  }

  /**
   * Counts bytes of an answer that were read already, and for which there is no room; returns false, without counting,
   * where such bytes of all calls, or of the call's router or connection, have reached their own limit, too. The call
   * must end then.
   */
  takeSpare(bytes: number): boolean {
    if (!this.#account.hasSpareRoom(this, bytes)) return false
    this.#countSpare(bytes)
    return true
  }

  /** Releases at most the bytes that `takeSpare` has counted; by default all of them. */
  releaseSpare(bytes = this.#spareBytes): void {
    if (this.#spareBytes > 0) this.#countSpare(-Math.min(bytes, this.#spareBytes))
  }

  trackIncoming(body: IncomingBody): void {
    this.#account.trackIncoming(body)
  }

  untrackIncoming(body: IncomingBody): void {
    this.#account.untrackIncoming(body)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.router.bytes += bytes
    this.connection.bytes += bytes
  }

  #countSpare(bytes: number): void {
    this.#account.adjustSpare(bytes)
    this.#spareBytes += bytes
    this.router.spareBytes += bytes
    this.connection.spareBytes += bytes
  }
}
