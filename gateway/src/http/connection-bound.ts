import type { Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { unfinishedRequests } from './unfinished-requests.ts'

/** The part of a request that a connection has begun, or that comes next. */
export type Arriving = 'head' | 'body' | 'chunked body'

/** A served connection, whose calls run one after another. */
export type ServedConnection = {
  readonly hasCall: boolean
  /** The number of answers that have left. */
  readonly answers: number
  readonly bytesRead: number
  /** Grows with each head, with the first byte of a head, and with each byte of a body. */
  readonly progress: number
  readonly arriving: Arriving
  /** The bytes of requests that no call reads yet: those that wait behind a running call, and a body whose call waits. */
  readonly unreadBytes: number
  /** The part of `unreadBytes` that belongs to requests behind the running call. */
  readonly waitingBytes: number
  /** The most bytes of trailers that may have arrived of a chunked body. */
  readonly trailerBytes: number
  /** The names and values of the head that arrives, as far as the parser has handed them over. */
  readonly headFields: number
  /** True while node's parser keeps a part of a head that failed, or came too late, behind a running call. */
  readonly keepsFailedHead: boolean
  /** True while the gateway itself reads nothing of the connection. */
  readonly isPaused: boolean
  /** The time of the end of the last pause, as `performance.now()`; 0 before the first one. */
  readonly resumedMs: number
  /** Ends the connection, which has no call. */
  end(): void
  /** Ends the current call if its caller has not sent the whole body; returns false otherwise. */
  endSlowBody(): boolean
  /** Ends the connection if its current call has a whole body; returns false otherwise. */
  endPartBehindCall(): boolean
}

/** The connections of a port, each list from the oldest on. */
export type OpenConnections = {
  readonly served: ReadonlyMap<object, ServedConnection>
  /** Connections before the end of their TLS handshake, and plain ones that aren't read yet. */
  readonly unserved: ReadonlySet<Socket>
}

/** The most that connections may hold beside their calls. */
export type ConnectionLimits = {
  /** Bytes of memory. */
  readonly bytes: number
  /** Connections; the system limits the open files of a process. */
  readonly count: number
  /** The largest head in bytes. */
  readonly headBytes: number
}

export const CONNECTION_BYTES = 128 * 1024 * 1024
/** Measured resident bytes of an idle connection. */
const PLAIN_BYTES = 14 * 1024
const TLS_BYTES = 68 * 1024
/** A head of usual lines takes up to four times its bytes. */
const HEAD_FACTOR = 4
/** In a head of short lines each name and value takes this many bytes more, as an object of its own. */
export const FIELD_BYTES = 56
/** The most bytes of memory for each byte of a head: the shortest line counts as two bytes and is two fields. */
const MOST_HEAD_FACTOR = 1 + FIELD_BYTES
/** A connection with more waiting bytes ends before connections without a call: few callers send requests ahead. */
const MANY_WAITING_BYTES = 48 * 1024
const SWEEP_MS = 100
const ENDED_IN_TURN = 64
/** The most connections that one turn tries to end; most running calls go on. */
const TRIED_IN_TURN = 2_048
/** The most connections that one turn looks at: with 20,000 connections a sweep took 30 ms of one. */
const LOOKED_IN_TURN = 1_024
/** The milliseconds without progress after which a connection that had an answer, or a call's body, may be ended. */
const SILENT_MS = 1_000
/** The part of a limit from which silences are noted: beyond the limit, those who have been silent are to be known. */
const NEAR = 0.75
/** Idle connections that had an answer end before new ones only where they are more than twice as many. */
const IDLE_WEIGHT = 0.5

/** The state of a connection at the begin of a sweep; the caller has gone on where the state differs later. */
type State = Pick<ServedConnection, 'answers' | 'arriving' | 'hasCall' | 'progress'>
type Silence = State & { readonly sinceMs: number }
/** How far connections are beyond their limits; negative below them. */
type Excess = { connections: number; bytes: number }
/** `end` returns false where nothing was ended. */
type Ending = { readonly end: () => boolean; readonly bytes: number }

/**
 * Bounds what open connections hold beside their calls: buffers, objects, heads and trailers that haven't arrived
 * completely, and requests that wait behind a running call. Anybody can open connections, without a key. Beyond the bound
 * connections are ended: first those with heads of many short lines or with many waiting bytes, from the largest on; then
 * connections without a call whose next head has been arriving for a second; then connections of the largest of three
 * groups, namely those that aren't served yet, those that never had an answer, both from the oldest on, and silent ones
 * that had an answer, which count half. After them calls are ended: first calls whose
 * callers stopped sending the body, then calls behind which another request, or a part of one, has been lying. Other
 * running calls go on. Of silent connections those end last that the gateway itself doesn't read, since their callers may
 * have gone on; they can't be spared, because callers who send many small pieces cause such pauses.
 */
export class ConnectionBound {
  readonly #server: Server
  readonly #open: OpenConnections
  readonly #limits: ConnectionLimits
  readonly #bytesOfOne: number
  /** Up to this number of connections no bound can be near, whatever they send. */
  readonly #harmless: number
  #silences = new Map<ServedConnection, Silence>()
  #timer: NodeJS.Timeout | undefined

  constructor(server: Server, open: OpenConnections, limits: ConnectionLimits) {
    this.#server = server
    this.#open = open
    this.#limits = limits
    this.#bytesOfOne = server instanceof HttpsServer ? TLS_BYTES : PLAIN_BYTES
    const mostBytesOfOne = this.#bytesOfOne + MOST_HEAD_FACTOR * limits.headBytes
    this.#harmless = NEAR * Math.min(limits.count, limits.bytes / mostBytesOfOne)
  }

  /** To be called for each new connection. */
  check(): void {
    if (this.#timer === undefined && this.#count > this.#harmless)
      this.#timer = setTimeout(() => this.#sweep(), SWEEP_MS).unref()
  }

  get #count(): number {
    return this.#open.served.size + this.#open.unserved.size
  }

  #sweep(): void {
    const unfinished = this.#unfinished()
    const parts = new Map<ServedConnection, number>()
    let servedBytes = 0
    const addBytes = (connection: ServedConnection): void => {
      // Node's list forgets a parser once its head is late.
      if (connection.keepsFailedHead) unfinished.add(connection)
      const part = (unfinished.has(connection) ? this.#bytesOfPart(connection) : 0) + connection.unreadBytes
      if (part > 0) parts.set(connection, part)
      servedBytes += this.#bytesOf(connection, parts)
    }
    this.#lookAtServed(addBytes, () => {
      // Some may have been served meanwhile, and count there.
      const unservedBytes = this.#open.unserved.size * this.#bytesOfOne
      const excess = {
        connections: this.#count - this.#limits.count,
        bytes: unservedBytes + servedBytes - this.#limits.bytes,
      }
      if (this.#isFar(excess)) {
        this.#silences.clear()
        this.#endSweep()
        return
      }
      this.#noteSilences(() => this.#end(this.#endings(parts, unfinished), excess))
    })
  }

  /** Calls `look` for each served connection, some in each turn, then `onEnd` in a further turn. */
  #lookAtServed(look: (connection: ServedConnection) => void, onEnd: () => void): void {
    const rest = this.#open.served.values()
    const lookAtSome = (): void => {
      for (let looked = 0; looked < LOOKED_IN_TURN; looked += 1) {
        const { value, done } = rest.next()
        if (done === true) {
          setImmediate(onEnd)
          return
        }
        look(value)
      }
      setImmediate(lookAtSome)
    }
    lookAtSome()
  }

  #isFar({ connections, bytes }: Excess): boolean {
    const spare = 1 - NEAR
    return connections <= -spare * this.#limits.count && bytes <= -spare * this.#limits.bytes
  }

  /** Ends connections until the excess is gone, a few in each turn: hundreds of closed sockets would fill it. */
  #end(endings: Generator<Ending, undefined>, excess: Excess): void {
    let ended = 0
    for (let tried = 0; excess.connections > 0 || excess.bytes > 0; tried += 1) {
      if (ended === ENDED_IN_TURN || tried === TRIED_IN_TURN) {
        setImmediate(() => this.#end(endings, excess))
        return
      }
      const ending = endings.next().value
      if (ending === undefined) break
      if (!ending.end()) continue
      ended += 1
      excess.connections -= 1
      excess.bytes -= ending.bytes
    }
    this.#endSweep()
  }

  #endSweep(): void {
    this.#timer = undefined
    this.check()
    if (this.#timer === undefined) this.#silences.clear()
  }

  /** Returns the connections with a part of a request in node's list. */
  #unfinished(): Set<ServedConnection> {
    const unfinished = new Set<ServedConnection>()
    for (const socket of unfinishedRequests(this.#server)) {
      const connection = this.#open.served.get(socket)
      if (connection !== undefined && connection.bytesRead > 0) unfinished.add(connection)
    }
    return unfinished
  }

  /** Returns the bytes of a connection beside its call, which counts its connection itself. */
  #bytesOf(connection: ServedConnection, parts: ReadonlyMap<ServedConnection, number>): number {
    return (connection.hasCall ? 0 : this.#bytesOfOne) + (parts.get(connection) ?? 0)
  }

  #bytesOfPart({ arriving, headFields, trailerBytes }: ServedConnection): number {
    const { headBytes } = this.#limits
    switch (arriving) {
      case 'head':
        return Math.max(HEAD_FACTOR * headBytes, headBytes + headFields * FIELD_BYTES)
      case 'chunked body':
        // Node's parser keeps a line of the trailers, which may be as long as a head, and nothing of the chunks.
        return Math.min(headBytes, trailerBytes)
      case 'body':
        return 0
      default:
        return arriving satisfies never
    }
  }

  #noteSilences(onEnd: () => void): void {
    const silences = new Map<ServedConnection, Silence>()
    const note = (connection: ServedConnection): void => {
      const nowMs = performance.now()
      const before = this.#silences.get(connection)
      const { answers, arriving, hasCall, progress } = connection
      const sinceMs = before?.progress === progress ? before.sinceMs : nowMs
      const isSame = before !== undefined && isUnchanged(before, connection)
      silences.set(connection, isSame ? before : { answers, arriving, hasCall, progress, sinceMs })
    }
    this.#lookAtServed(note, () => {
      this.#silences = silences
      onEnd()
    })
  }

  /** Returns the ways to make room, in their order. */
  *#endings(
    parts: ReadonlyMap<ServedConnection, number>,
    unfinished: ReadonlySet<ServedConnection>,
  ): Generator<Ending, undefined> {
    const heavy = this.#heavyParts(parts)
    const bytesOf = (connection: ServedConnection): number => this.#bytesOf(connection, parts)
    const silences = this.#silences
    /** Calls `end` only where the caller has not gone on: the endings take several turns. */
    const ending = (connection: ServedConnection, end: () => boolean, isSame = isUnchanged): Ending => ({
      end: () => isSame(silences.get(connection), connection) && end(),
      bytes: bytesOf(connection),
    })
    const endOf = (connection: ServedConnection): Ending =>
      ending(connection, () => {
        connection.end()
        return true
      })
    const endPart = (connection: ServedConnection, isSame = isUnchanged): Ending =>
      ending(connection, () => connection.endPartBehindCall(), isSame)
    // A connection may also be heavy because its call doesn't read its body yet.
    const hasPart = (connection: ServedConnection): boolean => unfinished.has(connection) || connection.waitingBytes > 0
    for (const connection of heavy)
      if (!connection.hasCall) yield endOf(connection)
      // A caller that sends ever more behind its call must not be spared.
      else if (hasPart(connection)) yield endPart(connection, hasSameCall)
    const isIdle = ({ hasCall, answers }: ServedConnection): boolean => !hasCall && answers > 0
    const silent = this.#silentLongestFirst().filter((connection) => !heavy.has(connection))
    // Anybody gets an answer, a refusal at least, so that it proves little of a connection whose next head is slow.
    for (const connection of silent) if (isIdle(connection) && unfinished.has(connection)) yield endOf(connection)
    const unanswered = [...this.#open.served.values()].filter(
      (connection) => !heavy.has(connection) && !connection.hasCall && connection.answers === 0,
    )
    const unserved = [...this.#open.unserved]
    const idle = silent.filter((connection) => isIdle(connection) && !unfinished.has(connection))
    yield* fromLongest([
      lineOf(unanswered, endOf, 1),
      lineOf(unserved, (socket) => ({ end: () => this.#endUnserved(socket), bytes: this.#bytesOfOne }), 1),
      lineOf(idle, endOf, IDLE_WEIGHT),
    ])
    for (const connection of silent) if (connection.hasCall) yield ending(connection, () => connection.endSlowBody())
    for (const connection of silent) if (connection.hasCall && hasPart(connection)) yield endPart(connection)
    return undefined
  }

  #endUnserved(socket: Socket): boolean {
    if (!this.#open.unserved.has(socket)) return false
    socket.destroy()
    return true
  }

  /** Returns the connections whose heads take more memory than usual ones, or with many waiting bytes, the largest first. */
  #heavyParts(parts: ReadonlyMap<ServedConnection, number>): ReadonlySet<ServedConnection> {
    const usual = HEAD_FACTOR * this.#limits.headBytes
    const heavy = [...parts].filter(([{ waitingBytes }, bytes]) => bytes > usual || waitingBytes > MANY_WAITING_BYTES)
    return new Set(heavy.sort(([, one], [, other]) => other - one).map(([connection]) => connection))
  }

  #silentLongestFirst(): readonly ServedConnection[] {
    const latestMs = performance.now() - SILENT_MS
    const silent = [...this.#silences]
      .filter(([, { sinceMs }]) => sinceMs <= latestMs)
      .sort(([, one], [, other]) => one.sinceMs - other.sinceMs)
      .map(([connection]) => connection)
    const unread = silent.filter((connection) => isUnread(connection, latestMs))
    if (unread.length === 0) return silent
    return [...silent.filter((connection) => !isUnread(connection, latestMs)), ...unread]
  }
}

/** Returns true where the gateway hasn't read the connection since `latestMs`, or may not have. */
function isUnread({ isPaused, resumedMs }: ServedConnection, latestMs: number): boolean {
  return isPaused || resumedMs > latestMs
}

function isUnchanged(before: State | undefined, now: State): boolean {
  return before?.progress === now.progress && hasSameCall(before, now)
}

function hasSameCall(before: State | undefined, now: State): boolean {
  return before?.answers === now.answers && before.hasCall === now.hasCall && before.arriving === now.arriving
}

type Line = {
  readonly count: number
  readonly weight: number
  readonly endingAt: (index: number) => Ending | undefined
}

/** Makes endings one by one: few of them are needed. */
function lineOf<Item>(items: readonly Item[], endOf: (item: Item) => Ending, weight: number): Line {
  const endingAt = (index: number): Ending | undefined => items.slice(index, index + 1).map(endOf)[0]
  return { count: items.length, weight, endingAt }
}

/** Yields the first of the line that is longest by its weight, again and again: a flood of one kind ends itself first. */
function* fromLongest(lines: readonly Line[]): Generator<Ending, undefined> {
  const rest = lines.map((line) => ({ line, next: 0 }))
  const left = ({ line: { count, weight }, next }: (typeof rest)[number]): number => (count - next) * weight
  for (;;) {
    const longest = rest.reduce((most, line) => (left(line) > left(most) ? line : most))
    const ending = longest.line.endingAt(longest.next)
    if (ending === undefined) return undefined
    longest.next += 1
    yield ending
  }
}
