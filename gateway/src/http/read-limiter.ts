import { FairQueue } from '../work/fair-queue.ts'
import { TurnEnd } from '../work/turn-end.ts'
import { OwnerLines } from './owner-lines.ts'

/** A connection reports the pieces of its bodies in groups of this size. */
export const MANY_PIECES = 256
/**
 * After this many pieces a turn of the event loop has read enough: node's parser takes some milliseconds for them.
 */
const MAX_PIECES = 4_096
/** The bound in place of MAX_PIECES between `hold` and `release`. */
const MAX_HELD_PIECES = MANY_PIECES
/** The same bound for the events of ordinary calls, which are counted in pieces: 128 requests, or 4 MiB of bodies. */
const MAX_EVENTS = 2_048
const MAX_HELD_EVENTS = 2 * MANY_PIECES
/**
 * The milliseconds of the main thread's CPU after which a turn has read enough, however few the pieces were: on a slow
 * machine, or beside garbage collections, pieces take three times as long as on others. Passed time would count the time
 * that other processes take, and a busy machine would then read next to nothing in a turn.
 */
const TURN_MS = 10
/** The milliseconds after which a turn reads no connection any more, not even one that has sent little. */
const LONGEST_MS = 16
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
/**
 * Of the new connections that resume together these are read once in any case: the bytes of others that share their
 * network come first in many turns, and would pause them again unread. Those that resumed in vain most often are taken.
 */
const MAX_SPARED = 2
/** The most pieces that a read of 64 KiB counts as in events. A turn keeps room for one read of each spared connection. */
const PIECES_OF_READ = 128
/** Unproven connections wait this many times as long as the reading took, so that reading takes a third of the time. */
const WAIT_FACTOR = 2
const MAX_WAIT_MS = 60

/** A connection whose reading can be paused. */
export type PausableReader = {
  /** True for a connection that had a whole call and never sent many small pieces in a row; it resumes first. */
  readonly isProven: boolean
  /** The router of the last call; empty before the first one. */
  readonly router: string
  /** The network of the caller; it never changes. */
  readonly network: string
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
 * connections may send them at once. After MAX_PIECES pieces, after many requests, bytes or ends of connections, and in a
 * turn that lasts long, the connections of those routers and networks wait that brought them. All others wait, too, where
 * the turn still goes on, or where many connections were reset at once. Connections that had a call resume in the next
 * turn. The others wait longer after many pieces, because a call takes several turns and each of these turns could read
 * many pieces. Connections that sent small pieces before resume behind new connections.
 *
 * Only some connections resume at once, and a LinePicker picks them, so that no connection waits for the whole line.
 * Routers share the picks of connections with calls, so that a router's callers don't wait for thousands of another
 * router's; networks share the picks of others, which anybody may open. A turn doesn't look at the connections that wait:
 * with 10,000 of them, a look at each took 7 ms of each turn.
 */
export class ReadLimiter {
  /** The open connections, each with a number that grows with every new connection. */
  readonly #ages = new Map<PausableReader, number>()
  #nextAge = 0
  /** The open connections that are read. */
  readonly #read = new Set<PausableReader>()
  /** The open connections that wait, by their kind. */
  readonly #proven = new OwnerLines<PausableReader>()
  readonly #fresh = new OwnerLines<PausableReader>()
  /** Senders of small pieces that wait, those of a network in the order in which they were paused; some aren't served yet. */
  readonly #senders = new FairQueue<PausableReader>()
  /** The routers and networks whose connections brought the pieces of this turn; nearly all of a crowd's. */
  readonly #busy = new Set<string>()
  /** The connections that this turn has paused: none, those of busy routers and networks, or all. */
  #pauses: 'none' | 'busy' | 'all' = 'none'
  /** New connections that have resumed, and how often they did so without being read. */
  readonly #unread = new Map<PausableReader, number>()
  /** New connections that aren't paused unread before others resume. */
  readonly #spared = new Set<PausableReader>()
  #pieces = 0
  #events = 0
  /** True where the turn has read as many pieces as it may. */
  #wasHeavy = false
  /** Pieces of events that `#events` doesn't have yet. */
  #unnoted = 0
  #turnBeganMs = 0
  /** The CPU time at which this turn counted its first pieces; undefined before. */
  #countBeganMs: number | undefined
  #isHeld = false
  readonly #cpuMs: () => number
  #timer: NodeJS.Timeout | undefined
  /** True once a turn has read many pieces while new connections waited. */
  #isContended = false
  /**
   * The number of senders of small pieces that resume next. They follow the new connections, since the bytes of a
   * sender may be parsed before other connections are read.
   */
  #sendersNext = 0
  readonly #turnEnd = new TurnEnd(() => this.#endTurn())
  readonly #onWaitEnd = (): void => this.#resumeNew()

  /** `cpuMs` returns the CPU time of the thread. */
  constructor(cpuMs: () => number = threadCpuMs) {
    this.#cpuMs = cpuMs
  }

  /** Limits an open connection until `remove`. */
  add(reader: PausableReader): void {
    this.#nextAge += 1
    this.#ages.set(reader, this.#nextAge)
    this.#read.add(reader)
  }

  remove(reader: PausableReader): void {
    this.#leaveLine(reader)
    this.#unread.delete(reader)
    this.#spared.delete(reader)
    this.#read.delete(reader)
    this.#ages.delete(reader)
  }

  /** To be called when the kind of a connection has changed: a connection that waits goes to the line of its kind. */
  noteKind(reader: PausableReader): void {
    if (this.#leaveLine(reader)) this.#enterLine(reader)
  }

  /** Counts pieces of a connection. Once the turn has read enough, connections wait. */
  countPieces(pieces: number, reader?: PausableReader): void {
    this.#awaitTurnEnd()
    this.#pieces += pieces
    this.#limit(reader)
  }

  /**
   * Counts an event that ordinary calls have, in pieces: a request, the bytes of a body, the end of a connection.
   * Beyond the bound of a turn connections go on in the next turns, since many of these events come from many callers.
   * The events are noted in groups, each for the connection that completes the group: each note ends the turn with
   * `setImmediate`, which costs another look at the sockets.
   */
  countEvent(pieces: number, reader?: PausableReader): void {
    this.#unnoted += pieces
    if (this.#unnoted < MANY_PIECES) return
    this.#awaitTurnEnd()
    this.#events += this.#unnoted
    this.#unnoted = 0
    this.#limit(reader)
  }

  /** To be called after each read of a connection: libuv would read one up to 32 times in a turn. */
  noteRead(reader: PausableReader): void {
    if (this.#unread.size > 0) this.#unread.delete(reader)
    if (this.#spared.size === 0 || !this.#spared.delete(reader) || this.#pauses === 'none') return
    if (this.#pauses === 'busy' && !this.#busy.has(ownerOf(reader))) return
    this.#pause(reader)
    this.#awaitTurnEnd()
  }

  /** Until `release`, turns read little: few pieces and events make connections wait, and unproven ones stay paused. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#areWaiting) this.#awaitTurnEnd()
  }

  /**
   * To be called behind work that reads at the end of a turn: proven connections that this work paused resume before the
   * sockets are looked at. Until the end of the next turn more such work may pause them again, and they would never be read.
   */
  endReading(): void {
    if (this.#turnEnd.isAwaited) this.#resumeProven()
  }

  /** Keeps a sender of small pieces unread until the connections that it has to wait for were read. */
  wait(reader: PausableReader): void {
    this.#pause(reader)
    this.#awaitTurnEnd()
  }

  get #areWaiting(): boolean {
    return !this.#proven.isEmpty || !this.#fresh.isEmpty || !this.#senders.isEmpty
  }

  /**
   * Once the turn has read enough, connections of busy routers and networks wait. Others are still read: the system
   * hands over the bytes of a crowd before theirs, and they would wait unread in each turn.
   */
  #limit(reader: PausableReader | undefined): void {
    const busyBefore = this.#busy.size
    if (reader !== undefined) this.#busy.add(ownerOf(reader))
    // The rest of a crowd that has not had a call is unread, and no router has admitted it yet.
    if (reader?.isProven === false) this.#busy.add(reader.network)
    if (this.#pauses === 'all') return
    const readMs = this.#readMs()
    if (!this.#isFull(readMs)) return
    if (reader === undefined || readMs >= LONGEST_MS) this.#pauseAll()
    else if (this.#pauses === 'none' || this.#busy.size > busyBefore) this.#pauseBusy()
  }

  /** Returns the milliseconds since the first pieces of this turn. Other work of the turn comes before them. */
  #readMs(): number {
    const nowMs = this.#cpuMs()
    this.#countBeganMs ??= nowMs
    return nowMs - this.#countBeganMs
  }

  #isFull(readMs: number): boolean {
    const [mostPieces, mostEvents] = this.#isHeld ? [MAX_HELD_PIECES, MAX_HELD_EVENTS] : [MAX_PIECES, MAX_EVENTS]
    const events = this.#events + this.#spared.size * PIECES_OF_READ
    return this.#pieces >= mostPieces || events >= mostEvents || readMs >= TURN_MS
  }

  #pauseBusy(): void {
    this.#pauses = 'busy'
    for (const reader of this.#read)
      if (this.#busy.has(ownerOf(reader)) && !this.#spared.has(reader)) this.#pause(reader)
  }

  #pauseAll(): void {
    this.#pauses = 'all'
    for (const reader of this.#read) if (!this.#spared.has(reader)) this.#pause(reader)
  }

  #pause(reader: PausableReader): void {
    reader.pause()
    this.#read.delete(reader)
    this.#enterLine(reader)
  }

  #enterLine(reader: PausableReader): void {
    const age = this.#ages.get(reader)
    // A connection that isn't served yet has no age: `wait` takes only senders of small pieces.
    if (age === undefined || reader.sentSmallPieces) this.#senders.add(reader.network, reader)
    else if (reader.isProven) this.#proven.add(reader.router, age, reader)
    else this.#fresh.add(ownerOf(reader), age, reader)
  }

  /** Returns false where the connection doesn't wait. */
  #leaveLine(reader: PausableReader): boolean {
    return this.#senders.delete(reader.network, reader) || this.#proven.delete(reader) || this.#fresh.delete(reader)
  }

  #endTurn(): void {
    const waitMs = this.#waitMs()
    // Where further proven connections wait, the next turn begins here.
    this.#resumeProven()
    const isHeavy = this.#wasHeavy
    this.#wasHeavy = false
    if (isHeavy && this.#timer !== undefined) this.#isContended = true
    if (!this.#areWaiting) this.#sendersNext = 0
    if (this.#timer !== undefined || !this.#areWaiting || this.#isHeld) return
    if (this.#sendersNext > 0) this.#letSendersFollow(isHeavy)
    else if (isHeavy) this.#timer = setTimeout(this.#onWaitEnd, waitMs).unref()
    else this.#resumeNew()
  }

  /** Begins the count of pieces anew, and resumes proven connections. */
  #resumeProven(): void {
    this.#wasHeavy ||= this.#pieces >= MAX_PIECES
    this.#pieces = 0
    this.#events = 0
    this.#countBeganMs = undefined
    this.#busy.clear()
    this.#pauses = 'none'
    if (this.#proven.isEmpty) return
    for (const reader of this.#proven.take(MAX_RESUMED.proven)) this.#resume(reader)
    if (!this.#proven.isEmpty) this.#awaitTurnEnd()
  }

  #waitMs(): number {
    return Math.min(MAX_WAIT_MS, WAIT_FACTOR * (this.#cpuMs() - this.#turnBeganMs))
  }

  /**
   * Resumes unproven connections that sent no small pieces; sockets are read in the order in which they resume. They are
   * picked in the order of age: in the order of waiting, connections that resumed and were paused unread would stand
   * behind newer ones, so that a new connection would wait for all of them.
   */
  #resumeNew(): void {
    this.#timer = undefined
    if (this.#isHeld) return
    // Those that are still spared had nothing to read.
    for (const reader of this.#spared) this.#unread.delete(reader)
    this.#spared.clear()
    // Proven connections that send many pieces again and again would be read before new ones in every turn.
    if (this.#isContended) {
      this.#pauseAll()
      this.#pauses = 'none'
    }
    this.#isContended = false
    this.#spare(this.#fresh.take(MAX_RESUMED.new))
    this.#sendersNext = MAX_RESUMED.new
    if (this.#areWaiting) this.#awaitTurnEnd()
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
    while (left > 0) {
      const reader = this.#senders.takeFirst()
      if (reader === undefined) break
      left = reader.resumesAlone === true ? 0 : left - 1
      this.#resume(reader)
    }
    if (this.#areWaiting) this.#awaitTurnEnd()
  }

  /** Resumes connections and spares some of them. */
  #spare(readers: readonly PausableReader[]): void {
    const vainly = (reader: PausableReader): number => this.#unread.get(reader) ?? 0
    const spared = readers.toSorted((one, other) => vainly(other) - vainly(one)).slice(0, MAX_SPARED)
    for (const reader of spared) this.#spared.add(reader)
    for (const reader of readers) {
      this.#unread.set(reader, vainly(reader) + 1)
      this.#resume(reader)
    }
  }

  #resume(reader: PausableReader): void {
    this.#leaveLine(reader)
    if (this.#ages.has(reader)) this.#read.add(reader)
    reader.resume()
  }

  #awaitTurnEnd(): void {
    if (this.#turnEnd.isAwaited) return
    this.#turnBeganMs = this.#cpuMs()
    this.#turnEnd.await()
  }
}

/** Only a call that the router has admitted names it. */
function ownerOf({ router, network }: PausableReader): string {
  return router === '' ? network : router
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
