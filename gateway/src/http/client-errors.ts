import type { RequestListener, Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorBody, statusOf } from '../errors.ts'
import { TurnQueue } from '../work/turn-queue.ts'
import { drainBody } from './drain-body.ts'
import { type HeaderMap, readHeaders } from './headers.ts'
import type { InboundConnections } from './inbound-connections.ts'
import { nodeHttp } from './node-http.ts'
import type { BodyFailure, BodyRefusal } from './read-body.ts'
import { followPauses, stopParsing } from './stop-reading.ts'

export type ClientErrorOptions = {
  /** Returns the session header for the answer to malformed HTTP; `headers` is undefined where they were unreadable. */
  session(headers: HeaderMap | undefined): { readonly canonical: string; readonly value: string }
  onAnswered(code: ErrorCode): void
}

/**
 * The most answers in one turn: node tells all connections whose heads are late in one task, and thousands of heads may be
 * malformed at one moment.
 */
const MOST_REFUSALS = 32

/** The message of a BAD_PATH that has another cause than the path. */
export const NOT_HTTP = 'The request is not valid HTTP.'

/**
 * Answers the events below node's request level: malformed HTTP, slow or large heads, CONNECT. A fault within a
 * transaction's body is passed to that transaction, which answers with its id and leaves a record.
 */
export function answerClientErrors(server: Server, connections: InboundConnections, answer: ClientErrorOptions): void {
  const refusals = new TurnQueue(MOST_REFUSALS)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // Until its turn the head may end and its call begin, so that all is decided and written in that turn.
      const bytesReadAtHead = connections.find(socket)?.bytesReadAtHead
      refusals.add(() => {
        if (connections.find(socket)?.bytesReadAtHead !== bytesReadAtHead) return
        refuseError(error, socket, (refuse) => refuse())
      })
      return
    }
    connections.find(socket)?.countRefusedHead()
    refuseError(error, socket, (refuse) => refuseLater(socket, refuse))
  })
  server.on('connect', (request, socket) => {
    // Node has left the socket: without a listener its error would end the process, and only reading shows its end.
    socket.on('error', () => socket.destroy())
    if (socket instanceof Socket) followPauses(socket)
    // Bytes behind the request are dropped, but reading them takes time while the refusal waits for an earlier answer.
    const connection = connections.find(socket)
    connection?.countRefusedHead()
    socket.on('data', (bytes: Buffer) => {
      connection?.countPiece(bytes.length)
      connection?.endRead()
    })
    socket.resume()
    // The refusal waits for as long as the calls before it last, and nothing counts the head meanwhile: it keeps none of it.
    const caller = callerOf(answer, readHeaders(request.rawHeaders))
    // The requests before it have arrived whole, so that no body ends with the failure.
    const refuse = (): void => respond(socket, { code: 'METHOD_NOT_ALLOWED' }, answer, caller)
    refuseInOrder(socket, { kind: 'caller gone' }, () => refuseLater(socket, refuse))
  })
  // The transaction handles expectations, since only the transaction knows whether it wants the body.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))

  /** Calls `schedule` with the function that writes the refusal, once no earlier answer is unfinished. */
  function refuseError(error: NodeJS.ErrnoException, socket: Duplex, schedule: (refuse: () => void) => void): void {
    const connection = connections.find(socket)
    const isClosing = error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE'
    // The rest of a refused body is dropped, broken or not: a reset would take the answer from the caller.
    if (connection?.lingers === true && !isClosing) return
    // Node leaves the connection of a late handshake open, and an answer would wait for the handshake's end.
    if (error.code === 'ECONNRESET' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT' || !socket.writable) {
      socket.destroy()
      return
    }
    const refusal = refusalOf(error.code)
    // A caller that closes in the middle of its body has left.
    const ending = error.code === 'HPE_INVALID_EOF_STATE' ? { kind: 'caller gone' as const } : refusal
    if (connection?.breakBody(ending) === true) return
    refuseInOrder(socket, ending, () => schedule(() => respond(socket, refusal, answer)))
  }

  /** Writes a refusal in a later turn. Node has left the connection, or its parser has stopped: no other answer begins. */
  function refuseLater(socket: Duplex, refuse: () => void): void {
    // The parser stops again at each further segment.
    if (connections.find(socket)?.takeRefusal() === false) return
    refusals.add(() => {
      if (socket.writable) refuse()
    })
  }

  /** Calls `refuse` once the answers before it have left. */
  function refuseInOrder(socket: Duplex, ending: BodyFailure, refuse: () => void): void {
    const connection = connections.find(socket)
    if (connection !== undefined && answersEarlierRequest(socket)) connection.failLater(ending, refuse)
    else refuse()
  }
}

/**
 * Wraps a listener so that requests with methods of other protocols are refused like malformed HTTP. Node's parser also
 * takes RTSP, most of whose methods no route has. It takes GET, POST and OPTIONS of RTSP, and SOURCE of ICE, without telling
 * them from HTTP: these are calls.
 */
export function refuseOtherProtocols(
  server: Server,
  connections: InboundConnections,
  listener: RequestListener,
): RequestListener {
  const methods = new Set(nodeHttp.METHODS)
  return (request, response) => {
    if (methods.has(request.method ?? '')) return listener(request, response)
    stopParsing(request.socket)
    // The refusal may wait for an earlier answer, while the rest of the read has up to 11,000 chunks of the body.
    drainBody(request, connections.of(request.socket))
    server.emit('clientError', Object.assign(new Error('not HTTP'), { code: 'HPE_INVALID_METHOD' }), request.socket)
  }
}

/**
 * Returns true while the answer to an earlier request is unfinished: the caller would take our bytes for a part of it.
 * Only node knows which answer has the connection.
 */
function answersEarlierRequest(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage')
  return current instanceof nodeHttp.ServerResponse && (current.headersSent || current.req.complete)
}

function refusalOf(code: string | undefined): BodyRefusal {
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'refused', code: 'HEADERS_TOO_LARGE' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { kind: 'refused', code: 'REQUEST_TIMEOUT' }
  return { kind: 'refused', code: 'BAD_PATH', message: NOT_HTTP }
}

type ClientErrorRefusal = { readonly code: ErrorCode; readonly message?: string }

/** The parts of a head that its refusal needs. */
type Caller = {
  readonly session: { readonly canonical: string; readonly value: string }
  readonly isAnthropic: boolean
}

function callerOf(answer: ClientErrorOptions, headers?: HeaderMap): Caller {
  return { session: answer.session(headers), isAnthropic: headers?.has('anthropic-version') === true }
}

function respond(
  socket: Duplex,
  { code, message }: ClientErrorRefusal,
  answer: ClientErrorOptions,
  { session, isAnthropic }: Caller = callerOf(answer),
): void {
  const body = errorBody(code, message, isAnthropic)
  const status = statusOf(code)
  const head = [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `${session.canonical}: ${session.value}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  answer.onAnswered(code)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
