/** A connection reports the pieces of its bodies in groups of this size. */
export const MANY_PIECES = 256
/**
 * After this many pieces a turn of the event loop reads no other connection: node's parser takes some milliseconds for
 * them.
 */
const MAX_PIECES = 4_096
/** The most unproven connections that resume in one turn. */
const MAX_RESUMED = 64

/** A connection whose reading can be paused. */
export type PausableReader = {
  readonly isPaused: boolean
  /** True for a connection that had a whole call and never sent many small pieces in a row; it resumes first. */
  readonly isProven: boolean
  pause(): void
  resume(): void
}

/**
 * Limits the small body chunks that one turn of the event loop reads. Node's parser can't stop within one read of a
 * socket (64 KiB, up to 11,000 chunks), and hundreds of connections may send them at once. After MAX_PIECES pieces all
 * other connections wait for the next turn. Proven connections then resume first. The others wait in a line that
 * resumes alternately from its end and its start, so that a new connection doesn't wait for the whole line.
 */
export class ReadLimiter {
  readonly #readers: () => Iterable<PausableReader>
  #pieces = 0
  #isArmed = false
  #waiting: PausableReader[] = []
  #isEndFirst = false
  readonly #onTurnEnd = (): void => this.#resumeNext()

  constructor(readers: () => Iterable<PausableReader>) {
    this.#readers = readers
  }

  /** Counts MANY_PIECES pieces and pauses all connections once the turn has read enough. */
  countPieces(): void {
    this.#arm()
    const before = this.#pieces
    this.#pieces += MANY_PIECES
    if (before >= MAX_PIECES || this.#pieces < MAX_PIECES) return
    for (const reader of this.#readers()) if (!reader.isPaused) this.#pause(reader)
  }

  #pause(reader: PausableReader): void {
    reader.pause()
    this.#waiting.push(reader)
  }

  /** Resumes connections; sockets are read in the order in which they resume. */
  #resumeNext(): void {
    this.#isArmed = false
    this.#pieces = 0
    const unproven: PausableReader[] = []
    for (const reader of this.#waiting) {
      if (reader.isProven) reader.resume()
      else unproven.push(reader)
    }
    this.#isEndFirst = !this.#isEndFirst
    const next = this.#isEndFirst ? unproven.splice(-MAX_RESUMED).reverse() : unproven.splice(0, MAX_RESUMED)
    for (const reader of next) reader.resume()
    this.#waiting = unproven
    if (unproven.length > 0) this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(this.#onTurnEnd)
  }
}
