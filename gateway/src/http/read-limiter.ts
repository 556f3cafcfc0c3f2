/** A connection reports the pieces of its bodies in groups of this size. */
export const MANY_PIECES = 256
/**
 * After this many pieces a turn of the event loop reads no other connection: node's parser takes some milliseconds for
 * them.
 */
const MAX_PIECES = 4_096
/** A pipelined request counts as this many pieces: parsing its head and answering takes some microseconds. */
export const PIECES_OF_REQUEST = 16
/** The most unproven connections that resume at once. */
const MAX_RESUMED = 64
/** Unproven connections wait this many times as long as the reading took, so that it takes a third of the time. */
const WAIT_FACTOR = 2
const MAX_WAIT_MS = 60

/** A connection whose reading can be paused. */
export type PausableReader = {
  readonly isPaused: boolean
  /** True for a connection that had a whole call and never sent many small pieces in a row; it resumes first. */
  readonly isProven: boolean
  /** True for a connection that sent many small pieces in a row; it resumes last. */
  readonly sentSmallPieces: boolean
  pause(): void
  resume(): void
}

/**
 * Limits the pieces that one turn of the event loop reads: small body chunks, pipelined requests and header lines.
 * Node's parser can't stop within one read of a socket (64 KiB, up to 11,000 chunks or 3,000 requests), and hundreds of
 * connections may send them at once. After MAX_PIECES pieces all other connections wait for the next turn. Proven
 * connections resume in that turn. The others wait longer, because a call takes several turns and each of these turns
 * could read many pieces. Connections that sent small pieces before resume behind the new ones, which resume
 * alternately from the end and the start of their line, so that a new connection doesn't wait for the whole line.
 */
export class ReadLimiter {
  readonly #readers: () => Iterable<PausableReader>
  #pieces = 0
  #isArmed = false
  #armedAtMs = 0
  #waiting: PausableReader[] = []
  #timer: NodeJS.Timeout | undefined
  #isEndFirst = false
  readonly #onTurnEnd = (): void => this.#endTurn()
  readonly #onWaitEnd = (): void => this.#resumeUnproven()

  /** `readers` returns the open connections from the oldest on. */
  constructor(readers: () => Iterable<PausableReader>) {
    this.#readers = readers
  }

  /** Counts pieces and pauses all connections once the turn has read enough. */
  countPieces(pieces: number): void {
    this.#arm()
    const before = this.#pieces
    this.#pieces += pieces
    if (before >= MAX_PIECES || this.#pieces < MAX_PIECES) return
    for (const reader of this.#readers()) if (!reader.isPaused) this.#pause(reader)
  }

  #pause(reader: PausableReader): void {
    reader.pause()
    this.#waiting.push(reader)
  }

  #endTurn(): void {
    const isHeavy = this.#pieces >= MAX_PIECES
    this.#isArmed = false
    this.#pieces = 0
    const unproven: PausableReader[] = []
    for (const reader of this.#waiting) {
      if (reader.isProven) reader.resume()
      else unproven.push(reader)
    }
    this.#waiting = unproven
    if (this.#timer !== undefined || unproven.length === 0) return
    if (isHeavy) this.#timer = setTimeout(this.#onWaitEnd, this.#waitMs()).unref()
    else this.#resumeUnproven()
  }

  #waitMs(): number {
    return Math.min(MAX_WAIT_MS, WAIT_FACTOR * (performance.now() - this.#armedAtMs))
  }

  /** Resumes unproven connections; sockets are read in the order in which they resume. */
  #resumeUnproven(): void {
    this.#timer = undefined
    const waiting = new Set(this.#waiting)
    const senders = this.#waiting.filter(({ sentSmallPieces }) => sentSmallPieces)
    // In the order of age: in the order of waiting, connections that resumed and were paused unread would stand behind
    // newer ones, so that a new connection would wait for all of them.
    const fresh = [...this.#readers()].filter((reader) => waiting.has(reader) && !reader.sentSmallPieces)
    this.#isEndFirst = !this.#isEndFirst
    // One sender of small pieces resumes each time, however many new connections there are.
    const most = MAX_RESUMED - Math.min(1, senders.length)
    const next = this.#isEndFirst ? fresh.splice(-most).reverse() : fresh.splice(0, most)
    next.push(...senders.splice(0, MAX_RESUMED - next.length))
    for (const reader of next) reader.resume()
    this.#waiting = [...fresh, ...senders]
    if (this.#waiting.length > 0) this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#armedAtMs = performance.now()
    setImmediate(this.#onTurnEnd)
  }
}
