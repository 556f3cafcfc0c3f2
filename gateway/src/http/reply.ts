import type { ServerResponse } from 'node:http'
import type { Header } from './headers.ts'
import { watchStall } from './watch-stall.ts'

/** The answer to one request: one complete answer, or a head and then a body as it comes. */
export type Reply = {
  readonly session: Session
  /** Once the head is written, no other answer can take this one's place; `ended`: all of it is. */
  readonly progress: 'none' | 'begun' | 'ended'
  /** Sends head and body in one write. Content-Length is set here. */
  whole(status: number, headers: Iterable<Header>, body: Uint8Array | undefined): void
  /** Prepares the head; it leaves with the first bytes, or with `flushHead`. */
  head(status: number, headers: Iterable<Header>, contentLength: string | undefined): void
  flushHead(): void
  /** False: wait for `onDrain`. */
  write(chunk: Uint8Array): boolean
  onDrain(listener: () => void): void
  /** Calls `giveUp` once the caller has taken nothing for this long, until it is cleared; nothing is written meanwhile. */
  watchStall(timeoutMs: number, giveUp: () => void): NodeJS.Timeout | undefined
  end(lastChunk: Uint8Array | undefined): void
  /** Bytes of the answer that wait for the caller's socket. */
  readonly unsentBytes: number
  /** Called once when the connection took the answer's last byte (`whole`), or broke before. */
  onSent(listener: (whole: boolean) => void): void
  /** Ends the connection without a clean end, so that the caller knows the answer is not whole. */
  destroy(): void
}

/** The session header and this answer's value of it. */
export type Session = { readonly canonical: string; readonly value: string }

export type ReplyOptions = {
  /** Every answer of the port carries it (docs/reference/sessions.md#header). */
  readonly session: Session
  /** `closes`: the connection is to close after this answer. */
  readonly connection: { readonly closes: boolean }
  /** Milliseconds a caller may leave the end of its answer unread. */
  readonly stallTimeoutMs: number
}

const noBytes = new Uint8Array()

/** The answer of node's HTTP server. A class: one of these is made per call. */
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

  whole(status: number, headers: Iterable<Header>, body: Uint8Array | undefined): void {
    this.head(status, headers, hasBody(status) ? String(body?.length ?? 0) : undefined)
    this.end(body)
  }

  head(status: number, headers: Iterable<Header>, contentLength: string | undefined): void {
    const { session, connection } = this.#options
    const flat: string[] = []
    for (const header of headers) for (const value of header.values) flat.push(header.canonical, value)
    flat.push(session.canonical, session.value)
    if (contentLength !== undefined) flat.push('Content-Length', contentLength)
    if (connection.closes) flat.push('Connection', 'close')
    this.#response.writeHead(status, flat)
  }

  flushHead(): void {
    // Not flushHeaders(): it would encode the values, latin1 as they are on the wire, as UTF-8.
    this.#response.write(noBytes)
  }

  write(chunk: Uint8Array): boolean {
    return this.#response.write(chunk)
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
    const stall = this.watchStall(this.#options.stallTimeoutMs, () => response.destroy())
    response.on('close', () => clearInterval(stall))
  }

  get unsentBytes(): number {
    return this.#response.writableLength
  }

  onSent(listener: (whole: boolean) => void): void {
    const response = this.#response
    if (response.closed) listener(response.writableFinished)
    else response.on('close', () => listener(response.writableFinished))
  }

  destroy(): void {
    this.#response.destroy()
  }
}

/** RFC 9110, 8.6: no Content-Length with 204; a 304's would be that of the 200. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
