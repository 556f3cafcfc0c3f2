import type { Socket } from 'node:net'
import { type BusErrorCode, busErrorCode } from './bus-error-code.ts'
import { longestTransferMs } from './path-speed.ts'
import { Pongs } from './pongs.ts'
import { readInTurns } from './read-in-turns.ts'
import type { BufferRange } from './record-message.ts'
import { ServerFrames, type ServerMessage } from './server-frames.ts'
import { readServerLine, type ServerInfo, type ServerLine } from './server-line.ts'

const PING = 'PING\r\n'
const MAX_UNANSWERED_PINGS = 2
const MAX_REFUSED_SUBJECTS = 16
/** With more unwritten bytes than this no message is taken, since the server may have stopped reading. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024

export type RefusedSubject = { readonly operation: string; readonly subject: string; readonly isNew: boolean }

export type RecordLinkOptions = {
  readonly socket: Socket
  readonly info: ServerInfo
  readonly pingIntervalMs: number
  /** Called with each refusal; `isNew` is true at the first refusal of a subject, for `MAX_REFUSED_SUBJECTS` subjects. */
  readonly onRefusedSubject: (refused: RefusedSubject) => void
  /** Called with the messages that arrived together, in order. */
  readonly onMessages: (messages: readonly ServerMessage[]) => void
}

/**
 * A connection to the bus from its handshake to its end: sends messages and PINGs, receives answers, PONGs and INFOs.
 */
export class RecordLink {
  /** Resolves with the reason of the end, undefined where we closed the connection. */
  readonly closed: Promise<BusErrorCode | undefined>
  readonly #options: RecordLinkOptions
  readonly #socket: Socket
  readonly #frames = new ServerFrames()
  /** A callback for each PING on its way, in order; undefined for a keep-alive PING. */
  readonly #pings: (((confirmed: boolean) => void) | undefined)[] = []
  #info: ServerInfo
  #unansweredPings = 0
  /** The most unanswered PINGs, by the bytes that were unwritten before the first of them. */
  #mostPings = MAX_UNANSWERED_PINGS
  readonly #pongs = new Pongs((text, sent) => this.write(text, sent))
  readonly #refusedSubjects = new Set<string>()
  #corked = false
  /** The ranges to be written next, merged while they are adjacent. */
  #pendingRange: BufferRange | undefined
  #code: BusErrorCode | undefined

  constructor(options: RecordLinkOptions) {
    this.#options = options
    this.#socket = options.socket
    this.#info = options.info
    this.closed = new Promise((resolve) => this.#listen(resolve))
  }

  get open(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  get maxPayload(): number | undefined {
    return this.#info.maxPayload
  }

  /** The number of servers of the bus. */
  get servers(): number {
    return this.#info.servers
  }

  get jetStream(): boolean {
    return this.#info.jetStream
  }

  /** Sends our CONNECT line; resolves with true once the server accepts it. */
  handshake(line: string): Promise<boolean> {
    this.#socket.write(line)
    return this.ping()
  }

  /**
   * Sends a message; returns false while too many bytes are unwritten. Messages of the same turn are written together.
   */
  send(message: readonly BufferRange[]): boolean {
    if (!this.open || this.#socket.writableLength > MAX_UNWRITTEN_BYTES) return false
    if (!this.#corked) {
      this.#corked = true
      this.#socket.cork()
      process.nextTick(() => this.#uncork())
    }
    for (const range of message) {
      const before = this.#pendingRange
      const isAdjacent = before?.buffer === range.buffer && before.end === range.start
      if (!isAdjacent) this.#writePending()
      this.#pendingRange = isAdjacent ? { ...range, start: before.start } : range
    }
    return true
  }

  /** Resolves with true after the PONG, with false when the connection ends first; never rejects. */
  ping(): Promise<boolean> {
    if (!this.open) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#pings.push(resolve)
      this.#writePending()
      this.#socket.write(PING)
      this.#uncork()
    })
  }

  /**
   * Sends text other than records: a protocol line with its end, and its payload if any. The end of the message before
   * is written first.
   */
  write(text: string, sent?: () => void): void {
    if (!this.open) return
    this.#writePending()
    this.#socket.write(text, sent)
  }

  end(code?: BusErrorCode): void {
    this.#code ??= code
    this.#socket.destroy()
  }

  #uncork(): void {
    if (!this.#corked) return
    this.#corked = false
    this.#writePending()
    this.#socket.uncork()
  }

  #writePending(): void {
    if (this.#pendingRange === undefined) return
    const { buffer, start, end } = this.#pendingRange
    this.#pendingRange = undefined
    this.#socket.write(buffer.subarray(start, end))
  }

  #listen(ended: (code: BusErrorCode | undefined) => void): void {
    const alive = setInterval(() => this.#keepAlive(), this.#options.pingIntervalMs)
    readInTurns(this.#socket, (bytes) => this.#read(bytes))
    this.#socket.on('error', (error) => {
      this.#code ??= busErrorCode(error)
    })
    this.#socket.on('end', () => this.end('BUS_CLOSED'))
    this.#socket.on('close', () => {
      clearInterval(alive)
      for (const settle of this.#pings.splice(0)) settle?.(false)
      ended(this.#code)
    })
    this.#socket.resume()
  }

  #keepAlive(): void {
    if (this.#unansweredPings === 0) {
      // The bytes before the PING may take longer than the time of its answer.
      const bytesMs = longestTransferMs(this.#socket.writableLength)
      this.#mostPings = MAX_UNANSWERED_PINGS + Math.ceil(bytesMs / this.#options.pingIntervalMs)
    }
    if (this.#unansweredPings >= this.#mostPings) {
      this.end('BUS_STALE')
    } else {
      this.#unansweredPings++
      this.#pings.push(undefined)
      this.write(PING)
    }
  }

  #read(bytes: Buffer): void {
    const frames = this.#frames.take(bytes)
    if (frames === undefined) this.end('BUS_FAILED')
    const messages: ServerMessage[] = []
    for (const frame of frames ?? []) {
      if (typeof frame === 'string') this.#processLine(readServerLine(frame))
      else messages.push(frame)
    }
    this.#pongs.send()
    if (messages.length > 0) this.#options.onMessages(messages)
  }

  #processLine(line: ServerLine): void {
    switch (line.kind) {
      case 'pong':
        this.#unansweredPings = 0
        this.#pings.shift()?.(true)
        break
      case 'ping':
        this.#pongs.owe()
        break
      case 'info':
        this.#info = { ...line.info, maxPayload: line.info.maxPayload ?? this.maxPayload }
        break
      case 'refused subject':
        this.#reportRefused(line.operation, line.subject)
        break
      case 'error':
        this.end(line.code)
        break
      case 'ok':
        break
      default:
        line satisfies never
    }
  }

  #reportRefused(operation: string, subject: string): void {
    const isNew = !this.#refusedSubjects.has(subject) && this.#refusedSubjects.size < MAX_REFUSED_SUBJECTS
    if (isNew) this.#refusedSubjects.add(subject)
    this.#options.onRefusedSubject({ operation, subject, isNew })
  }
}
