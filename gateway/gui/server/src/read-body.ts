import type { IncomingMessage } from 'node:http'
import { type Failed, failed } from './answer.ts'

export type ReadBody =
  /** `bytes` is undefined for a request without a body. */
  { readonly kind: 'read'; readonly bytes: Uint8Array | undefined } | Failed<'BAD_REQUEST' | 'BODY_TOO_LARGE'>

const TOO_LARGE = failed('BODY_TOO_LARGE', 'The body is too large.')
export const NOT_THE_JSON = failed('BAD_REQUEST', 'The body is not the JSON that this endpoint requires.')
const FIRST_BYTES = 16 * 1024

/**
 * Returns the bytes that a body may have at most by its headers: 0 for a request without a body, and `most` for one
 * without a length.
 */
export function bodyBytes({ headers }: IncomingMessage, most: number): number {
  if (headers['transfer-encoding'] !== undefined) return most
  return Math.min(most, Number(headers['content-length'] ?? 0))
}

/** Reads a JSON body of at most `most` bytes. Settles when the caller leaves, too. */
export function readBody(request: IncomingMessage, most: number): Promise<ReadBody> {
  const { headers } = request
  const expected = bodyBytes(request, most)
  const { promise, resolve } = Promise.withResolvers<ReadBody>()
  if (Number(headers['content-length'] ?? 0) > most) resolve(TOO_LARGE)
  else if (expected === 0) resolve({ kind: 'read', bytes: undefined })
  else if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) resolve(NOT_THE_JSON)
  else collect(request, { most, settle: resolve })
  return promise
}

type Collecting = { readonly most: number; readonly settle: (body: ReadBody) => void }

/**
 * Copies the pieces into one buffer, since a piece of one byte takes a hundred bytes of memory as an object of its own.
 */
function collect(request: IncomingMessage, { most, settle }: Collecting): void {
  const declared = request.headers['content-length']
  let bytes = Buffer.allocUnsafe(declared === undefined ? Math.min(FIRST_BYTES, most) : Number(declared))
  let length = 0
  const end = (body: ReadBody) => {
    request.off('data', add)
    settle(body)
  }
  const add = (piece: Uint8Array) => {
    const next = length + piece.length
    if (next > most) return end(TOO_LARGE)
    if (next > bytes.length) {
      const grown = Buffer.allocUnsafe(Math.min(most, Math.max(next, 2 * bytes.length)))
      bytes.copy(grown, 0, 0, length)
      bytes = grown
    }
    bytes.set(piece, length)
    length = next
  }
  request.on('data', add)
  request.once('end', () => end({ kind: 'read', bytes: bytes.subarray(0, length) }))
  request.once('close', () => end(NOT_THE_JSON))
}
