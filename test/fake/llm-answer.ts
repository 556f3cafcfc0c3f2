import type { ServerResponse } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

export type Header = readonly [name: string, value: string]
type Bytes = Uint8Array | string
/** Pieces of a body, each written on its own. An async iterable pauses at its awaits, so a test controls the pace. */
export type Pieces = Iterable<Bytes> | AsyncIterable<Bytes>

/** The end of an answer: a clean end, a TCP reset, a FIN without the HTTP end, or no end. */
export type Ending = 'end' | 'reset' | 'close' | 'hang'

/** The fake LLM's reaction to one request. */
export type LlmAnswer =
  | {
      readonly kind: 'answer'
      readonly status?: number
      /** Sent in this order, as written: names may repeat (Set-Cookie), and their letters keep their case. */
      readonly headers?: readonly Header[]
      readonly body?: Bytes | Pieces
      readonly trailers?: readonly Header[]
      readonly ending?: Ending
    }
  /** Bytes straight onto the socket: broken HTTP, 1xx or anything else. */
  | { readonly kind: 'raw'; readonly bytes: Bytes | Pieces; readonly ending?: Ending }
  /** No byte is ever sent. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'close' }

/** Sends an answer at the caller's pace and stops when the connection is gone. */
export async function sendAnswer(answer: LlmAnswer, response: ServerResponse): Promise<void> {
  switch (answer.kind) {
    case 'answer':
      return await playHttp(answer, response)
    case 'raw':
      for await (const piece of pieces(answer.bytes)) {
        if (response.socket?.destroyed !== false) return
        response.socket.write(piece)
      }
      return finish(answer.ending ?? 'close', response)
    case 'hang':
    case 'reset':
    case 'close':
      return finish(answer.kind, response)
    default:
      answer satisfies never
  }
}

async function playHttp(answer: Extract<LlmAnswer, { kind: 'answer' }>, response: ServerResponse): Promise<void> {
  const { status = 200, headers = [], body, trailers = [], ending = 'end' } = answer
  const whole = typeof body === 'string' || body instanceof Uint8Array || body === undefined
  const sized = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const needsLength = whole && !sized && trailers.length === 0 && ending === 'end' && ![204, 304].includes(status)
  const length: Header[] = needsLength ? [['Content-Length', String(Buffer.byteLength(body ?? ''))]] : []
  const trailer: Header[] = trailers.length > 0 ? [['Trailer', trailers.map(([name]) => name).join(', ')]] : []
  const all: readonly Header[] = [...headers, ...length, ...trailer]
  response.writeHead(status, all.flat())
  response.flushHeaders()
  for await (const piece of pieces(body)) {
    if (response.destroyed) return
    if (!response.write(piece)) await untilDrained(response)
  }
  if (trailers.length > 0) response.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]))
  finish(ending, response)
}

async function* pieces(body: Bytes | Pieces | undefined): AsyncGenerator<Bytes> {
  if (body === undefined) return
  if (typeof body === 'string' || body instanceof Uint8Array) yield body
  else yield* body
}

function finish(ending: Ending, response: ServerResponse): void {
  if (ending === 'end') response.end()
  if (ending === 'reset') response.socket?.resetAndDestroy()
  // A FIN behind the written bytes, without the end that the framing requires.
  if (ending === 'close') response.socket?.destroySoon()
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle)
      response.off('close', settle)
      resolve()
    }
    response.on('drain', settle)
    response.on('close', settle)
  })
}

export function jsonAnswer(value: unknown, options: { status?: number; headers?: readonly Header[] } = {}): LlmAnswer {
  const headers: Header[] = [['Content-Type', 'application/json'], ...(options.headers ?? [])]
  return { kind: 'answer', status: options.status ?? 200, headers, body: JSON.stringify(value) }
}

export const CODINGS = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  'raw deflate': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const

/** Returns a compressed JSON answer; `raw deflate` is sent as `deflate`, without the zlib frame. */
export function encodedAnswer(value: unknown, coding: keyof typeof CODINGS): LlmAnswer {
  const name = coding === 'raw deflate' ? 'deflate' : coding
  const body = CODINGS[coding](Buffer.from(JSON.stringify(value)))
  const headers: Header[] = [
    ['Content-Type', 'application/json'],
    ['Content-Encoding', name],
  ]
  return { kind: 'answer', headers, body }
}

/** Yields a JSON string of `bytes` bytes, made while it is sent. */
export function* hugeJson(bytes: number): Generator<Uint8Array> {
  const block = Buffer.alloc(64 * 1024, 'x')
  yield Buffer.from('"')
  for (let left = bytes - 2; left > 0; left -= block.length) yield block.subarray(0, left)
  yield Buffer.from('"')
}
