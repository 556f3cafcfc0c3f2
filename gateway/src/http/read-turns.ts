/** Pieces of bodies that come together; a connection tells of them by so many. */
export const MANY_PIECES = 256
/** After so many pieces a turn of the event loop reads no other connection: node's parser needs some milliseconds for them. */
const MOST_PIECES = 4_096
/** Of the connections that wait in line so many are read on in the next turn, as far as it comes. */
const MOST_READ_ON = 64

/** A connection whose reading can be paused. */
export type TurnReader = {
  readonly isPaused: boolean
  /** It had a whole call and never sent a body in many small pieces: it needn't stand in line. */
  readonly isProven: boolean
  pause(): void
  resume(): void
}

/**
 * Bounds what one turn of the event loop reads of bodies in tiny chunks. node's parser can't stop within what it read from
 * a socket, up to 64 KiB with 11,000 chunks, and hundreds of connections may bring them at once. When a turn has had enough
 * of them, every connection that it would still read waits for the next one. There connections of known callers come first;
 * the others stand in a line that is read from its end and from its start by turns, since the last one would wait for all.
 */
export class ReadTurns {
  readonly #readers: () => Iterable<TurnReader>
  #pieces = 0
  #isArmed = false
  #line: TurnReader[] = []
  #isEndFirst = false
  readonly #end = (): void => this.#goOn()

  constructor(readers: () => Iterable<TurnReader>) {
    this.#readers = readers
  }

  /** MANY_PIECES were read. */
  notePieces(): void {
    this.#arm()
    const before = this.#pieces
    this.#pieces += MANY_PIECES
    if (before >= MOST_PIECES || this.#pieces < MOST_PIECES) return
    for (const reader of this.#readers()) if (!reader.isPaused) this.#pause(reader)
  }

  #pause(reader: TurnReader): void {
    reader.pause()
    this.#line.push(reader)
  }

  /** Sockets are read in the order in which they read on. */
  #goOn(): void {
    this.#isArmed = false
    this.#pieces = 0
    const unknown: TurnReader[] = []
    for (const reader of this.#line) {
      if (reader.isProven) reader.resume()
      else unknown.push(reader)
    }
    this.#isEndFirst = !this.#isEndFirst
    const next = this.#isEndFirst ? unknown.splice(-MOST_READ_ON).reverse() : unknown.splice(0, MOST_READ_ON)
    for (const reader of next) reader.resume()
    this.#line = unknown
    if (unknown.length > 0) this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(this.#end)
  }
}
