import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorBody, statusOf } from '../errors.ts'

export type PortAnswer = {
  /** The session header of an answer to what never became a request. */
  session(): { readonly canonical: string; readonly value: string }
  answered(code: ErrorCode): void
}

/** Answers what node's server hands over below its request level: malformed HTTP, slow or large heads, CONNECT. */
export function answerBelowRequests(server: Server, answer: PortAnswer): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else respond(socket, clientErrorCode(error.code), answer)
  })
  server.on('connect', (_, socket) => respond(socket, 'METHOD_NOT_ALLOWED', answer))
  // Expectations are met or ignored by the transaction, which knows whether it wants the body.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function clientErrorCode(code: string | undefined): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT'
  return 'BAD_PATH'
}

function respond(socket: Duplex, code: ErrorCode, answer: PortAnswer): void {
  const body = errorBody(code, code === 'BAD_PATH' ? 'The request is not valid HTTP.' : undefined, false)
  const session = answer.session()
  const status = statusOf(code)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `${session.canonical}: ${session.value}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  answer.answered(code)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
