import zlib from 'node:zlib'
import type { WorkQueue } from '../work/work-queue.ts'
import { type Coding, type Decoder, decodeStage, type Progress } from './decode-stage.ts'
import { PieceSource, piecesOf } from './piece-source.ts'

export type DecodedBody =
  /** `cut`: only the first `limitBytes` were handed out. `truncated`: the body ended before its coding did. */
  | { readonly kind: 'decoded'; readonly cut: boolean; readonly truncated: boolean }
  /** The consumer had enough. */
  | { readonly kind: 'stopped' }
  /** Some bytes may have been handed out before that was seen. */
  | { readonly kind: 'undecodable' }

export type DecodeOptions = {
  /** Bytes after each coding. */
  readonly limitBytes: number
  /**
   * Takes the next decoded bytes, 64 KiB at most; false: enough. The next ones are decoded once it has answered.
   */
  readonly consume: (bytes: Buffer) => boolean | Promise<boolean>
  readonly work: WorkQueue
}

/** Each piece is a job of Node's threads and some work of the main thread: fewer and larger ones cost less. */
const PIECES = { chunkSize: 64 * 1024 }

const CODINGS: ReadonlyMap<string, Coding> = new Map<string, Coding>([
  ['gzip', { decoder: () => zlib.createGunzip(PIECES), atOnce: zlib.gunzipSync }],
  ['x-gzip', { decoder: () => zlib.createGunzip(PIECES), atOnce: zlib.gunzipSync }],
  [
    'deflate',
    { decoder: (start) => (hasZlibHeader(start) ? zlib.createInflate(PIECES) : zlib.createInflateRaw(PIECES)) },
  ],
  ['br', { decoder: () => zlib.createBrotliDecompress(PIECES), atOnce: zlib.brotliDecompressSync }],
  ['zstd', { decoder: zstdDecoder, isFramed: true }],
])

/** A real answer has one coding, a chain of two is a curiosity, and a hundred of them is an attack. */
const MOST_CODINGS = 4

/** Up to these sizes a body is decoded in one step: the thread pool and the stream cost five times what the decoding does. */
const AT_ONCE_BYTES = 16 * 1024
const AT_ONCE_DECODED_BYTES = 256 * 1024

/**
 * Decodes a collected body: gzip (several members too), x-gzip, deflate (zlib and raw), br, zstd, identity and lists of them (RFC 9110, 8.4.1).
 *
 * Hands the bytes out as they are decoded, and decodes no faster than they are taken: besides its window, a decoder holds
 * some hundred KiB, however much the body unpacks to. Between pieces other work gets its turn.
 * Undecodable: an unknown coding, more than four, more than 1,000 zstd frames or bytes that aren't of the coding. No bytes at all decode to none.
 * Rejects only where `consume` does.
 */
export async function decodeBody(
  raw: readonly Uint8Array[],
  contentEncoding: string,
  options: DecodeOptions,
): Promise<DecodedBody> {
  const codings = codingsOf(contentEncoding)
  if (codings === undefined) return { kind: 'undecodable' }
  const { limitBytes, consume, work } = options
  const progress: Progress = { cut: false, truncated: false, undecodable: false }
  const slice = work.begin()
  const small = decodeSmall(raw, codings, limitBytes)
  let pieces = piecesOf(small.chunks)
  for (const coding of small.codings)
    pieces = limited(decodeStage(new PieceSource(pieces), coding, { progress, slice }), limitBytes, progress)
  if (small.codings.length === 0) pieces = limited(pieces, limitBytes, progress)
  for await (const piece of pieces) {
    const taken = consume(piece)
    if (!(typeof taken === 'boolean' ? taken : await taken)) return { kind: 'stopped' }
    if (slice.due) await slice.next()
  }
  if (progress.undecodable) return { kind: 'undecodable' }
  return { kind: 'decoded', cut: progress.cut, truncated: progress.truncated }
}

/** The codings in the order in which they are taken off; undefined when one isn't known. */
function codingsOf(contentEncoding: string): readonly Coding[] | undefined {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MOST_CODINGS) return undefined
  const codings: Coding[] = []
  for (const name of names.reverse()) {
    const coding = CODINGS.get(name)
    if (coding === undefined) return undefined
    codings.push(coding)
  }
  return codings
}

type Small = { readonly chunks: readonly Uint8Array[]; readonly codings: readonly Coding[] }

/** Takes codings off as long as the body is small and whole; the rest is left to the decoders that work in pieces. */
function decodeSmall(raw: readonly Uint8Array[], codings: readonly Coding[], limitBytes: number): Small {
  let chunks = raw
  for (const [index, { atOnce }] of codings.entries()) {
    const left = { chunks, codings: codings.slice(index) }
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (atOnce === undefined || bytes === 0 || bytes > AT_ONCE_BYTES) return left
    try {
      chunks = [
        atOnce(Buffer.concat(chunks), { maxOutputLength: Math.max(1, Math.min(limitBytes, AT_ONCE_DECODED_BYTES)) }),
      ]
    } catch {
      // Too large, truncated or broken: decoding it in pieces tells which.
      return left
    }
  }
  return { chunks, codings: [] }
}

/** The first `limitBytes` of these pieces. */
async function* limited(
  pieces: AsyncIterable<Buffer>,
  limitBytes: number,
  progress: Progress,
): AsyncGenerator<Buffer, void, undefined> {
  let room = limitBytes
  for await (const piece of pieces) {
    if (piece.length > room) {
      progress.cut = true
      if (room > 0) yield piece.subarray(0, room)
      return
    }
    room -= piece.length
    yield piece
  }
}

/** A frame may ask for a window of gigabytes; RFC 9659 allows 8 MiB (2^23) to a content coding. */
function zstdDecoder(): Decoder {
  return zlib.createZstdDecompress({ ...PIECES, params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } })
}

/** RFC 1950, 2.2; servers send raw deflate under the name of zlib's (RFC 9110, 8.4.1.2). */
function hasZlibHeader(start: Buffer): boolean {
  return start.length >= 2 && (start.readUInt8(0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0
}
