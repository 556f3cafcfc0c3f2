import { TurnEnd } from '../work/turn-end.ts'
import { LinePicker } from './line-picker.ts'

/** A connection reports the pieces of its bodies in groups of this size. */
export const MANY_PIECES = 256
/**
 * After this many pieces a turn of the event loop reads no other connection: node's parser takes some milliseconds for
 * them.
 */
const MAX_PIECES = 4_096
/** The bound in place of MAX_PIECES between `hold` and `release`. */
const MAX_HELD_PIECES = MANY_PIECES
/** The same bound for the events of ordinary calls, which are counted in pieces: 128 requests, or 4 MiB of bodies. */
const MAX_EVENTS = 2_048
const MAX_HELD_EVENTS = 2 * MANY_PIECES
/** A request counts as this many pieces: parsing its head and answering takes some microseconds. */
export const PIECES_OF_REQUEST = 16
/**
 * Each name and value beyond this number in a head, or in trailers and the head behind them, counts as a piece; a usual
 * head has some 30 of them.
 */
export const MANY_FIELDS = 512
/** The end of a connection counts as this many pieces. */
export const PIECES_OF_CLOSING = 32
/** This many bytes of a body count as a piece. */
export const BYTES_OF_PIECE = 2_048
/** The most connections of a kind that resume at once. */
const MAX_RESUMED = { proven: 128, new: 16 } as const
/** Unproven connections wait this many times as long as the reading took, so that reading takes a third of the time. */
const WAIT_FACTOR = 2
const MAX_WAIT_MS = 60

/** A connection whose reading can be paused. */
export type PausableReader = {
  readonly isPaused: boolean
  /** True for a connection that had a whole call and never sent many small pieces in a row; it resumes first. */
  readonly isProven: boolean
  /** True for a connection that sent many small pieces in a row; it resumes last. */
  readonly sentSmallPieces: boolean
  /** True for a sender whose bytes are parsed in the turn in which it resumes. */
  readonly resumesAlone?: boolean
  pause(): void
  resume(): void
}

/**
 * Limits the pieces that one turn of the event loop reads: small body chunks, pipelined requests and header lines.
 * Node's parser can't stop within one read of a socket (64 KiB, up to 11,000 chunks or 3,000 requests), and hundreds of
 * connections may send them at once. After MAX_PIECES pieces all other connections wait for the next turn. Proven
 * connections resume in that turn. Unproven connections wait longer, because a call takes several turns and each of
 * these turns could read many pieces. Connections that sent small pieces before resume behind new connections. After
 * many requests, bytes or ends of connections all other connections wait for the next turns, too. Only some connections
 * resume at once, and a LinePicker picks them, so that no connection waits for the whole line.
 */
export class ReadLimiter {
  readonly #readers: () => Iterable<PausableReader>
  #pieces = 0
  #events = 0
  /** Pieces of events that `#events` doesn't have yet. */
  #unnoted = 0
  #turnBeganMs = 0
  #isHeld = false
  /** In the order in which they were paused. */
  readonly #waiting = new Set<PausableReader>()
  #timer: NodeJS.Timeout | undefined
  readonly #provenPicker = new LinePicker<PausableReader>()
  readonly #newPicker = new LinePicker<PausableReader>()
  /** True once a turn has read many pieces while new connections waited. */
  #isContended = false
  /**
   * The number of senders of small pieces that resume next. They follow the new connections, since the bytes of a
   * sender may be parsed before other connections are read.
   */
  #sendersNext = 0
  readonly #turnEnd = new TurnEnd(() => this.#endTurn())
  readonly #onWaitEnd = (): void => this.#resumeNew()

  /** `readers` returns the open connections from the oldest on. */
  constructor(readers: () => Iterable<PausableReader>) {
    this.#readers = readers
  }

  /** Counts pieces and pauses all connections once the turn has read enough. */
  countPieces(pieces: number): void {
    this.#awaitTurnEnd()
    const before = this.#pieces
    this.#pieces += pieces
    const most = this.#isHeld ? MAX_HELD_PIECES : MAX_PIECES
    if (before < most && this.#pieces >= most) this.#pauseAll()
  }

  /**
   * Counts an event that ordinary calls have, in pieces: a request, the bytes of a body, the end of a connection.
   * Beyond the bound of a turn all other connections go on in the next turns, since many of these events come from many
   * callers. The events are noted in groups: each note ends the turn with `setImmediate`, which costs another look at
   * the sockets.
   */
  countEvent(pieces: number): void {
    this.#unnoted += pieces
    if (this.#unnoted < MANY_PIECES) return
    this.#awaitTurnEnd()
    const before = this.#events
    this.#events += this.#unnoted
    this.#unnoted = 0
    const most = this.#isHeld ? MAX_HELD_EVENTS : MAX_EVENTS
    if (before < most && this.#events >= most) this.#pauseAll()
  }

  /** Until `release`, turns read little: few pieces and events pause all connections, and unproven ones stay paused. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#waiting.size > 0) this.#awaitTurnEnd()
  }

  /** Keeps a sender of small pieces unread until the connections that it has to wait for were read. */
  wait(reader: PausableReader): void {
    this.#pause(reader)
    this.#awaitTurnEnd()
  }

  #pauseAll(): void {
    for (const reader of this.#readers()) if (!reader.isPaused) this.#pause(reader)
  }

  #pause(reader: PausableReader): void {
    reader.pause()
    this.#waiting.add(reader)
  }

  #endTurn(): void {
    const isHeavy = this.#pieces >= MAX_PIECES
    this.#pieces = 0
    this.#events = 0
    if (isHeavy && this.#timer !== undefined) this.#isContended = true
    if (this.#waiting.size > 0) this.#resumeProven()
    if (this.#waiting.size === 0) this.#sendersNext = 0
    if (this.#timer !== undefined || this.#waiting.size === 0 || this.#isHeld) return
    if (this.#sendersNext > 0) this.#letSendersFollow(isHeavy)
    else if (isHeavy) this.#timer = setTimeout(this.#onWaitEnd, this.#waitMs()).unref()
    else this.#resumeNew()
  }

  #resumeProven(): void {
    const proven = [...this.#readers()].filter((reader) => reader.isProven && this.#waiting.has(reader))
    for (const reader of this.#provenPicker.pick(proven, MAX_RESUMED.proven)) this.#resume(reader)
    if (proven.length > MAX_RESUMED.proven) this.#awaitTurnEnd()
  }

  #waitMs(): number {
    return Math.min(MAX_WAIT_MS, WAIT_FACTOR * (performance.now() - this.#turnBeganMs))
  }

  /** Resumes unproven connections that sent no small pieces; sockets are read in the order in which they resume. */
  #resumeNew(): void {
    this.#timer = undefined
    if (this.#isHeld) return
    // Proven connections that send many pieces again and again would be read before new ones in every turn.
    if (this.#isContended) this.#pauseAll()
    this.#isContended = false
    // In the order of age: in the order of waiting, connections that resumed and were paused unread would stand behind
    // newer ones, so that a new connection would wait for all of them.
    const open = new Set(this.#readers())
    const fresh = [...open].filter((each) => this.#waiting.has(each) && !each.isProven && !each.sentSmallPieces)
    for (const reader of this.#waiting) if (!reader.sentSmallPieces && !open.has(reader)) this.#waiting.delete(reader)
    for (const reader of this.#newPicker.pick(fresh, MAX_RESUMED.new)) this.#resume(reader)
    this.#sendersNext = MAX_RESUMED.new
    if (this.#waiting.size > 0) this.#awaitTurnEnd()
  }

  /** Behind many pieces of new connections, one sender of small pieces resumes, in a turn of its own. */
  #letSendersFollow(isHeavy: boolean): void {
    let left = this.#sendersNext
    if (isHeavy && left > 1) {
      this.#sendersNext = 1
      this.#awaitTurnEnd()
      return
    }
    this.#sendersNext = 0
    for (const reader of this.#waiting) {
      if (left === 0) break
      if (!reader.sentSmallPieces) continue
      left = reader.resumesAlone === true ? 0 : left - 1
      this.#resume(reader)
    }
    if (this.#waiting.size > 0) this.#awaitTurnEnd()
  }

  #resume(reader: PausableReader): void {
    this.#waiting.delete(reader)
    reader.resume()
  }

  #awaitTurnEnd(): void {
    if (this.#turnEnd.isAwaited) return
    this.#turnBeganMs = performance.now()
    this.#turnEnd.await()
  }
}
