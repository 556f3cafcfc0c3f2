import type { Dispatcher } from 'undici'
import { isLongConnection } from '../http/headers.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { areManyLines, brokenFields, isOverloaded } from './answer-fields.ts'
import { type BodySource, InboundBody } from './inbound-body.ts'
import type { ConnectionReceiver, OutboundConnection, OutboundConnections } from './outbound-connection.ts'
import { flatHeaders, type IncomingHeaders, inboundHeaders } from './undici-headers.ts'
import type { CancelSignal, UpstreamAnswer, UpstreamRequest } from './upstream.ts'
import { upstreamCode } from './upstream-code.ts'

type Controller = Dispatcher.DispatchController

/** The client that opens a connection for a call. */
type WaitingClient = { cancelAttempt(): void }

/** A call and its answer, as undici reports them. Exchange is a class for the reason given at CallerSignal. */
export class Exchange implements Dispatcher.DispatchHandler, BodySource, ConnectionReceiver {
  readonly #connections: OutboundConnections
  readonly account: CallMemory
  readonly #signal: CancelSignal
  readonly #resolve: (answer: UpstreamAnswer) => void
  /** The request, and its way out, for as long as the request may be sent again. */
  #request: UpstreamRequest | undefined
  #dispatcher: Dispatcher | undefined
  #controller: Controller | undefined
  #client: WaitingClient | undefined
  #connection: OutboundConnection | undefined
  #bodyBytes = 0
  #body: InboundBody | undefined
  #endsWithConnection = false
  #isOver = false
  /** The announced bytes of the body that haven't arrived yet; undefined without a Content-Length. */
  #missingBytes: number | undefined

  constructor(
    connections: OutboundConnections,
    account: CallMemory,
    signal: CancelSignal,
    resolve: (answer: UpstreamAnswer) => void,
  ) {
    this.#connections = connections
    this.account = account
    this.#signal = signal
    this.#resolve = resolve
  }

  send(dispatcher: Dispatcher, request: UpstreamRequest): void {
    this.#bodyBytes = request.body?.length ?? 0
    this.#request = request
    this.#dispatcher = dispatcher
    this.#signal.onCancel(() => this.cancel())
    this.#dispatch(dispatcher, request)
  }

  #dispatch(dispatcher: Dispatcher, request: UpstreamRequest): void {
    if (this.#signal.cancelled) return
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: flatHeaders(request.headers),
        body: request.body ?? null,
        headersTimeout: request.headersTimeoutMs,
        bodyTimeout: request.silenceTimeoutMs,
      },
      this,
    )
  }

  cancel(): void {
    if (this.#controller !== undefined) {
      this.#controller.abort(new Error('caller gone'))
      return
    }
    this.#resolve({ kind: 'failed', code: 'UPSTREAM_RESET' })
    this.#client?.cancelAttempt()
  }

  /** Notes the client whose next request is this call's. */
  takeClient(client: WaitingClient): void {
    this.#client = client
  }

  onRequestStart(started: Controller): void {
    this.#controller = started
    if (this.#signal.cancelled) started.abort(new Error('caller gone'))
    else this.#connections.expectWrite(this)
  }

  takeConnection(connection: OutboundConnection): void {
    this.#connection = connection
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHeaders): void {
    this.#forgetRequest()
    const coding = headers['transfer-encoding']
    const refusal = refusalOf(status, headers, controller.rawHeaders)
    // undici's controller would keep the lines for as long as the answer lasts.
    controller.rawHeaders = null
    if (refusal !== undefined) {
      controller.abort(brokenFields(refusal))
      return
    }
    this.#connection?.noteAnswer(status, this.#bodyBytes)
    this.#body = new InboundBody(this)
    const length = headers['content-length']
    // A server that refuses a request early closes its connection with unread bytes, which resets the connection: the
    // answer may be whole all the same.
    this.#endsWithConnection = status < 400 && coding === undefined && length === undefined
    if (length !== undefined) this.#missingBytes = Number(length)
    this.#resolve({ kind: 'answered', inbound: { status, headers: inboundHeaders(headers), body: this.#body } })
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    // undici's parser hands over an empty piece whenever it goes on and has nothing to read. Node writes such a piece
    // within the turn, so that a body that pauses at each piece would go on and pause without an end.
    if (chunk.length === 0) return
    if (this.#missingBytes !== undefined) this.#missingBytes -= chunk.length
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    const connection = this.#connection
    this.#leaveConnection()
    connection?.noteEnd(this.account)
    // undici ends such an answer at a reset, too; only a closed connection makes the answer whole (RFC 9112, 8).
    if (this.#endsWithConnection && connection?.isBroken === true) this.#body?.fail('UPSTREAM_RESET')
    else this.#body?.end()
  }

  onResponseError(controller: Controller, error: Error): void {
    if (this.#connection?.tookNothing === true && this.#repeat()) return
    // undici has no controller for a call that it never began.
    const isWhole = this.#body !== undefined && !controller.aborted && this.#isBehindBody(error)
    this.#leaveConnection()
    if (this.#body === undefined)
      this.#resolve({ kind: 'failed', code: isOverloaded(error) ? 'OVERLOADED' : upstreamCode(error) })
    else if (isWhole) this.#body.end()
    else this.#body.fail(this.#connection?.codeOf(error) ?? upstreamCode(error))
  }

  /** Returns true for an error that came behind the last byte of the body. */
  #isBehindBody(error: Error): boolean {
    // The last chunk makes the body whole, whatever becomes of the trailers (RFC 9112, 8).
    if (this.#connection?.hasLastChunk === true) return true
    // Behind a Content-Length undici reads white space as digits, so that undici waits for bytes that nobody announced.
    return isLengthMismatch(error) && this.#missingBytes === 0
  }

  /** Sends the request again, once, because its connection took no byte of it; returns false where that isn't possible. */
  #repeat(): boolean {
    const [request, dispatcher] = [this.#request, this.#dispatcher]
    if (request === undefined || dispatcher === undefined || this.#signal.cancelled) return false
    this.#forgetRequest()
    this.#connection?.leaveFields()
    this.#connection = undefined
    this.#controller = undefined
    this.#client = undefined
    // undici has not yet noted the end of the connection.
    queueMicrotask(() => this.#dispatch(dispatcher, request))
    return true
  }

  #forgetRequest(): void {
    this.#request = undefined
    this.#dispatcher = undefined
  }

  pause(): void {
    this.#controller?.pause()
    if (!this.#isOver) this.#connection?.holdBody(this.account)
  }

  resume(): void {
    if (!this.#isOver) this.#connection?.releaseBody(this.account)
    this.#controller?.resume()
  }

  abort(): void {
    this.#controller?.abort(new Error('the answer is no longer needed'))
  }

  noteConsumed(bytes: number, ms: number): void {
    this.#connection?.noteConsumed(bytes, ms)
  }

  /**
   * Once the answer has ended, the connection belongs to the next call. This call may go on for long, until its answer is
   * decoded, and undici's controller would keep the lines of the head and of the trailers, unfinished ones included.
   */
  #leaveConnection(): void {
    if (this.#isOver) return
    this.#forgetRequest()
    this.#controller = undefined
    this.#client = undefined
    this.#connection?.releaseBody(this.account)
    this.#connection?.leaveFields()
    this.#isOver = true
  }
}

/** Returns the reason for which the gateway refuses an answer's head; `lines` is undici's list of its lines. */
function refusalOf(status: number, headers: IncomingHeaders, lines: unknown): string | undefined {
  // The connection removes 1xx answers. One that undici's parser takes all the same, behind an empty line or of another
  // protocol, restarts the time limit of the answer's head, and so would each further one.
  if (status < 200) return 'interim answer'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && !isChunked(coding)) return 'unknown transfer coding'
  if (isLongConnection(headers.connection ?? '')) return 'long Connection'
  return areManyLines(lines) ? 'too many lines' : undefined
}

/**
 * Returns true for `chunked`, the only coding that undici's parser removes: the parser passes bytes of other codings on
 * as if they were the body (RFC 9112, 6.1).
 */
function isChunked(coding: string | string[]): boolean {
  return coding === 'chunked' || (typeof coding === 'string' && /^chunked *$/i.test(coding))
}

function isLengthMismatch(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
}
