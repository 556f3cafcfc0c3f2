import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Holding, Share } from '../memory/memory-account.ts'
import type { Call } from '../transaction/transaction.ts'
import { CallerSignal } from './caller-signal.ts'
import type { Bodies } from './port-answer.ts'
import {
  admitBody,
  announcesBody,
  type BodyLimits,
  type BodyRead,
  type BodyReading,
  type BodyRefusal,
  drainBody,
  readBody,
} from './read-body.ts'
import { type Reply, ServerReply, type Session } from './reply.ts'

export type CallOptions = {
  /** The part of the account that the calls of each connection hold. */
  readonly shares: WeakMap<Socket, Share>
  readonly bodies: Bodies
  /** True while the server stops: answers then close their connections. */
  readonly draining: () => boolean
  /** Connections whose last answer is decided: what comes behind it on them is no call (RFC 9112, 9.6). */
  readonly closing: WeakSet<Socket>
}

/** One request of node's HTTP server as the request path sees it. A class: one of these is made per call. */
export class ServerCall implements Call {
  /** The request target as it came. */
  readonly target: string
  readonly hasBody: boolean
  readonly signal: CallerSignal
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #options: CallOptions
  #closes = false

  constructor(target: string, request: IncomingMessage, response: ServerResponse, options: CallOptions) {
    this.target = target
    this.hasBody = announcesBody(request)
    this.signal = new CallerSignal(response)
    this.#request = request
    this.#response = response
    this.#options = options
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }

  get namesHost(): boolean {
    return namesHost(this.#request)
  }

  /** True once the connection is to close after the answer. */
  get closes(): boolean {
    return this.#closes || this.#options.draining()
  }

  get share(): Share {
    const { socket } = this.#request
    const known = this.#options.shares.get(socket)
    if (known !== undefined) return known
    const share = new Share()
    this.#options.shares.set(socket, share)
    return share
  }

  admitBody(limits: BodyLimits, holding: Holding): BodyRefusal | undefined {
    return admitBody(this.#request, limits, holding)
  }

  async readBody(limits: BodyLimits, means: Omit<BodyReading, 'limits' | 'open'>): Promise<BodyRead> {
    // The expectation is answered here, once it is certain that the body is wanted (wire, 5).
    if (expectsContinue(this.#request)) this.#response.writeContinue()
    const { bodies } = this.#options
    const { socket } = this.#request
    const reading = readBody(this.#request, { ...means, limits, open: bodies.open })
    const ending = bodies.broken.get(socket)
    if (ending !== undefined) bodies.open.get(socket)?.(ending)
    const body = await reading
    if (body.kind === 'refused' && endsConnection.has(body.code)) this.#close()
    return body
  }

  refuseBody(): void {
    if (this.hasBody && !drainBody(this.#request)) this.#close()
  }

  cut(): void {
    this.#response.destroy()
  }

  createReply(session: Session, stallTimeoutMs: number): Reply {
    return new ServerReply(this.#response, { session, connection: this, stallTimeoutMs })
  }

  #close(): void {
    this.#closes = true
    this.#options.closing.add(this.#request.socket)
  }
}

/**
 * The rest of a body that didn't come in time must not hold the connection (RFC 9110, 15.5.9), and behind one that
 * broke nobody knows where the next request begins.
 */
const endsConnection: ReadonlySet<string> = new Set(['REQUEST_TIMEOUT', 'BAD_PATH', 'HEADERS_TOO_LARGE'])

/** RFC 9110, 10.1.1: an expectation of HTTP/1.0 is ignored, and so is one that nobody knows. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /^100-continue$/i.test(headers.expect)
}

/** RFC 9112, 3.2: HTTP/1.1 carries exactly one Host; with more, two servers on the way may see two targets. */
function namesHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
