import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../errors.ts'
import type { BodyBudget } from './body-budget.ts'
import { BodyPieces } from './body-pieces.ts'

export type BodyRead =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | BodyRefusal
  | { readonly kind: 'caller gone' }

/** `message` replaces the code's own. */
export type BodyRefusal = {
  readonly kind: 'refused'
  readonly code: Extract<
    ErrorCode,
    'BAD_PATH' | 'BODY_TOO_LARGE' | 'HEADERS_TOO_LARGE' | 'OVERLOADED' | 'REQUEST_TIMEOUT'
  >
  readonly message?: string
}

/**
 * The bodies being read, by connection. What breaks below the request level ends the reading, so that the transaction
 * answers; false where all of the body had come: then it isn't this transaction's.
 */
export type OpenBodies = Map<Duplex, (ending: BodyRead) => boolean>

export type BodyLimits = {
  readonly requestBytes: number
  readonly idleTimeoutMs: number
  readonly budget: BodyBudget
  readonly open: OpenBodies
}

/** Bytes this request holds of the budget; released when the transaction is over. */
export type Held = { bytes: number }

/** What can be told from the headers alone: a declared length over a limit is refused before a body is read. */
export function admitBody(
  request: IncomingMessage,
  limits: Omit<BodyLimits, 'open'>,
  held: Held,
): BodyRead | undefined {
  const declared = declaredLength(request)
  if (declared === undefined) return undefined
  if (declared > limits.requestBytes) return { kind: 'refused', code: 'BODY_TOO_LARGE' }
  if (!limits.budget.reserve(declared)) return { kind: 'refused', code: 'OVERLOADED' }
  held.bytes += declared
  return undefined
}

/** True where the request announces a body: a positive length or a transfer coding. */
export function announcesBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (declaredLength(request) ?? 0) > 0
}

function declaredLength(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** Reads a whole body; of a chunked one every piece is counted as it arrives. */
export function readBody(request: IncomingMessage, limits: BodyLimits, held: Held): Promise<BodyRead> {
  return new Promise((resolve) => {
    const { socket } = request
    const pieces = new BodyPieces(declaredLength(request))
    let isSettled = false
    const idle = setTimeout(() => settle({ kind: 'refused', code: 'REQUEST_TIMEOUT' }), limits.idleTimeoutMs)
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
    request.on('error', onClose)
    limits.open.set(socket, endEarly)

    function onData(chunk: Buffer): void {
      idle.refresh()
      const bytes = pieces.length + chunk.length
      if (bytes > limits.requestBytes) settle({ kind: 'refused', code: 'BODY_TOO_LARGE' })
      else if (!holds(bytes)) settle({ kind: 'refused', code: 'OVERLOADED' })
      else pieces.add(chunk)
    }

    function holds(total: number): boolean {
      const missing = Math.max(0, total - held.bytes)
      if (!limits.budget.reserve(missing)) return false
      held.bytes += missing
      return true
    }

    function onEnd(): void {
      settle({ kind: 'read', bytes: pieces.join() })
    }

    function onClose(): void {
      settle({ kind: 'caller gone' })
    }

    function endEarly(ending: BodyRead): boolean {
      if (request.complete) return false
      settle(ending)
      return true
    }

    function settle(result: BodyRead): void {
      // Once: what was read is the transaction's, whatever becomes of the caller.
      if (isSettled) return
      isSettled = true
      clearTimeout(idle)
      if (result.kind !== 'read') pieces.drop()
      // The next request's on this connection may be open already.
      if (limits.open.get(socket) === endEarly) limits.open.delete(socket)
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onClose)
      // The error listener stays: a socket error after this is the caller going away, told elsewhere.
      resolve(result)
    }
  })
}

/** A refused body is read on up to here, so that the caller sees the answer and not a reset. */
const drainBytes = 64 * 1024

/**
 * Gets rid of a body nobody wants. Returns true where the connection can be kept: what was declared fits the drain;
 * else the connection closes after the answer, having read at most 64 KiB more.
 */
export function drainBody(request: IncomingMessage): boolean {
  if (request.complete) return true
  const declared = declaredLength(request)
  let rest = drainBytes
  request.on('data', (chunk: Buffer) => {
    rest -= chunk.length
    if (rest < 0) request.pause()
  })
  request.resume()
  return declared !== undefined && declared <= drainBytes
}
