import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallMemory, MemoryShare } from '../memory/memory-account.ts'
import type { Call } from '../transaction/transaction.ts'
import { CallerSignal } from './caller-signal.ts'
import { cutAnswer } from './cut-answer.ts'
import { drainBody } from './drain-body.ts'
import type { InboundConnection } from './inbound-connection.ts'
import {
  admitBody,
  announcedBytes,
  type BodyLimits,
  type BodyRefusal,
  type BodyResult,
  type ReadBodyOptions,
  readBody,
} from './read-body.ts'
import { type Reply, ServerReply, type Session } from './reply.ts'

export type CallOptions = {
  readonly target: string
  readonly connection: InboundConnection
  /** The bytes that the call counts for its connections: half of the memory that they take. */
  readonly connectionBytes: number
  /** True while the server stops: answers then close their connections. */
  readonly draining: () => boolean
}

/** The call of one request of node's HTTP server. ServerCall is a class for the reason given at CallerSignal. */
export class ServerCall implements Call {
  /** The request target as the caller sent it. */
  readonly target: string
  readonly bodyBytes: number
  readonly signal: CallerSignal
  readonly connectionBytes: number
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #connection: InboundConnection
  readonly #draining: () => boolean

  constructor(request: IncomingMessage, response: ServerResponse, options: CallOptions) {
    const { target, connection, connectionBytes, draining } = options
    this.target = target
    this.connectionBytes = connectionBytes
    this.bodyBytes = announcedBytes(request)
    this.signal = new CallerSignal(response, connection)
    this.#request = request
    this.#response = response
    this.#connection = connection
    this.#draining = draining
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get hasBody(): boolean {
    return this.bodyBytes > 0
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }

  get hasValidHost(): boolean {
    return hasValidHost(this.#request)
  }

  /** True where the connection closes after this answer. */
  get closes(): boolean {
    return this.#connection.closes || this.#draining()
  }

  get share(): MemoryShare {
    return this.#connection.share
  }

  noteRouter(path: string): void {
    this.#connection.noteRouter(path)
  }

  admitBody(limits: BodyLimits, memory: CallMemory): BodyRefusal | undefined {
    return admitBody(this.#request, limits, memory)
  }

  async readBody(reading: ReadBodyOptions): Promise<BodyResult> {
    // `Expect` is answered only once the gateway wants the body (docs/reference/http.md#bodies).
    if (expectsContinue(this.#request)) this.#response.writeContinue()
    this.#connection.releaseBody()
    const body = await readBody(this.#request, this.#connection, reading)
    // A call that its caller left has a record, too, and thousands of callers may leave together.
    if (body.kind === 'caller gone') await this.#cancelsTurn()
    if (body.kind === 'refused' && endsConnection.has(body.code)) this.#connection.closeAfterAnswer()
    return body
  }

  #cancelsTurn(): Promise<void> {
    const { cancels, router } = this.#connection
    return new Promise((resolve) => cancels.add(resolve, router))
  }

  refuseBody(): void {
    if (!this.hasBody) return
    // A full unread body would keep its connection from being read.
    this.#connection.releaseBody()
    if (!drainBody(this.#request, this.#connection)) this.#connection.closeAfterAnswer()
    this.#connection.lingerFor(this.#request)
  }

  cut(): void {
    cutAnswer(this.#response)
  }

  createReply(session: Session, stallTimeoutMs: number): Reply {
    return new ServerReply(this.#response, { session, connection: this, stallTimeoutMs })
  }
}

/**
 * Errors after which the connection closes: a body that timed out must not hold it (RFC 9110, 15.5.9), and behind a
 * broken body the start of the next request is unknown.
 */
const endsConnection: ReadonlySet<string> = new Set(['REQUEST_TIMEOUT', 'BAD_PATH', 'HEADERS_TOO_LARGE'])

/**
 * Returns true for `Expect: 100-continue`; HTTP/1.0 expectations and unknown expectations are ignored (RFC 9110,
 * 10.1.1).
 */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /^100-continue$/i.test(headers.expect)
}

/**
 * Returns true for exactly one Host, or for none in HTTP/1.0: with several, two servers on the way could see different
 * targets (RFC 9112, 3.2).
 */
function hasValidHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
