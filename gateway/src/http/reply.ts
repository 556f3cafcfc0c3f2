import type { ServerResponse } from 'node:http'
import { cutAnswer } from './cut-answer.ts'
import type { Header } from './headers.ts'
import { watchStall } from './watch-stall.ts'

/** The answer to a request: either one complete answer, or a head followed by a body. */
export type Reply = {
  readonly session: Session
  /**
   * `begun` once the head is written, so that no other answer is possible; `ended` once the whole answer is written.
   */
  readonly progress: 'none' | 'begun' | 'ended'
  /** Sends head and body in one write, with Content-Length. */
  send(status: number, headers: Iterable<Header>, body: Uint8Array | undefined): void
  /** Prepares the head, which leaves with the first bytes or with `flushHead`. */
  writeHead(status: number, headers: Iterable<Header>, contentLength: string | undefined): void
  flushHead(): void
  /** Returns false where the writer should wait for `onDrain`. */
  write(chunk: Uint8Array): boolean
  /** Calls `taken` once the connection has taken the chunk; never where it breaks before. */
  writeAlone(chunk: Uint8Array, taken: () => void): void
  onDrain(listener: () => void): void
  /**
   * Calls `giveUp` once the caller has taken nothing for `timeoutMs`, until the timer is cleared. Nothing may be
   * written meanwhile.
   */
  watchStall(timeoutMs: number, giveUp: () => void): NodeJS.Timeout | undefined
  end(lastChunk: Uint8Array | undefined): void
  /** The answer's bytes that wait for the caller's socket. */
  readonly unsentBytes: number
  /** True where bytes wait for the caller's socket that were not written just now, in the same step. */
  readonly isBehind: boolean
  /** Calls the listener once: with true when the connection took the last byte, with false when it broke before. */
  onSent(listener: (whole: boolean) => void): void
  /** Cuts the connection, so that the caller sees an incomplete answer. */
  destroy(): void
}

/** The session header's name and its value in this answer. */
export type Session = { readonly canonical: string; readonly value: string }

export type ReplyOptions = {
  /** Every answer of the port carries this header (docs/reference/sessions.md#header). */
  readonly session: Session
  /** `closes` is true where the connection closes after this answer. */
  readonly connection: { readonly closes: boolean }
  /** The time in milliseconds that a caller may leave the end of its answer unread. */
  readonly stallTimeoutMs: number
}

const noBytes = new Uint8Array()

/** The answer on node's HTTP server. ServerReply is a class for the reason given at CallerSignal. */
export class ServerReply implements Reply {
  readonly #response: ServerResponse
  readonly #options: ReplyOptions

  constructor(response: ServerResponse, options: ReplyOptions) {
    this.#response = response
    this.#options = options
  }

  get session(): Session {
    return this.#options.session
  }

  get progress(): Reply['progress'] {
    if (this.#response.writableEnded) return 'ended'
    return this.#response.headersSent ? 'begun' : 'none'
  }

  send(status: number, headers: Iterable<Header>, body: Uint8Array | undefined): void {
    // An answer to HEAD without its body doesn't say how long the body of a GET would be.
    const isUnknown = this.#response.req.method === 'HEAD' && (body === undefined || body.length === 0)
    this.writeHead(status, headers, hasBody(status) && !isUnknown ? String(body?.length ?? 0) : undefined)
    this.end(body)
  }

  writeHead(status: number, headers: Iterable<Header>, contentLength: string | undefined): void {
    const { session, connection } = this.#options
    const flat: string[] = []
    for (const header of headers) for (const value of header.values) flat.push(header.canonical, value)
    flat.push(session.canonical, session.value)
    if (contentLength !== undefined && status !== 204) flat.push('Content-Length', contentLength)
    if (connection.closes) flat.push('Connection', 'close')
    this.#response.writeHead(status, flat)
  }

  flushHead(): void {
    // flushHeaders() would encode the values as UTF-8, but they are latin1 on the wire.
    this.#response.write(noBytes)
  }

  write(chunk: Uint8Array): boolean {
    return this.#response.write(chunk)
  }

  writeAlone(chunk: Uint8Array, taken: () => void): void {
    this.#response.write(chunk, (error) => {
      // Node gives null where all went well.
      if (!(error instanceof Error)) taken()
    })
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener)
  }

  watchStall(timeoutMs: number, giveUp: () => void): NodeJS.Timeout | undefined {
    const { socket } = this.#response
    return socket === null ? undefined : watchStall(socket, timeoutMs, giveUp)
  }

  end(lastChunk: Uint8Array | undefined): void {
    const response = this.#response
    response.end(lastChunk)
    if (response.writableLength === 0) return
    // The part that the caller hasn't taken yet stays in memory.
    const stall = this.watchStall(this.#options.stallTimeoutMs, () => cutAnswer(response))
    response.on('close', () => clearInterval(stall))
  }

  get unsentBytes(): number {
    return this.#response.writableLength
  }

  get isBehind(): boolean {
    const { socket, writableLength } = this.#response
    // Node corks the socket from the first write until the step has ended.
    return writableLength > 0 && socket !== null && socket.writableCorked === 0
  }

  onSent(listener: (whole: boolean) => void): void {
    const response = this.#response
    if (response.closed) listener(response.writableFinished)
    else response.on('close', () => listener(response.writableFinished))
  }

  destroy(): void {
    cutAnswer(this.#response)
  }
}

/** Returns false for 204, which has no Content-Length, and for 304, whose length would be the 200's (RFC 9110, 8.6). */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
