import zlib from 'node:zlib'
import type { Slice } from '../work/work-queue.ts'
import { type Coding, type DecodeProgress, type Decoder, type DecoderSize, decodeStage } from './decode-stage.ts'
import { narrowDecodedBytes, narrowWindow } from './narrow-window.ts'
import { PieceSource, piecesOf } from './piece-source.ts'

export type DecodedBody =
  /** `cut`: only the first `limitBytes` were passed on; `truncated`: the body ended within its coding. */
  | { readonly kind: 'decoded'; readonly cut: boolean; readonly truncated: boolean }
  /** The consumer stopped the decoding. */
  | { readonly kind: 'stopped' }
  /** The consumer may already have some bytes. */
  | { readonly kind: 'undecodable' }

export type DecodeOptions = {
  /** The most bytes after each coding. */
  readonly limitBytes: number
  /** Takes the next decoded bytes, at most 64 KiB, and returns false to stop. Decoding continues after its answer. */
  readonly consume: (bytes: Buffer) => boolean | Promise<boolean>
  readonly slice: Slice
}

/** Windows of 256 KiB and 1 MiB. */
const AT_ONCE_WINDOW_BITS = 18
const SHORT_WINDOW_BITS = 20

const CODINGS: ReadonlyMap<string, Coding> = new Map<string, Coding>([
  ['gzip', { decoder: (_, size) => zlib.createGunzip(size), atOnce: zlib.gunzipSync }],
  ['x-gzip', { decoder: (_, size) => zlib.createGunzip(size), atOnce: zlib.gunzipSync }],
  [
    'deflate',
    {
      decoder: (start, size) => (hasZlibHeader(start) ? zlib.createInflate(size) : zlib.createInflateRaw(size)),
      atOnce: (coded, options) =>
        hasZlibHeader(coded) ? zlib.inflateSync(coded, options) : zlib.inflateRawSync(coded, options),
    },
  ],
  [
    'br',
    {
      decoder: (_, { chunkSize }) => zlib.createBrotliDecompress({ chunkSize }),
      narrow: (coded) => narrowWindow(coded, SHORT_WINDOW_BITS),
      atOnce: (coded, options) => zlib.brotliDecompressSync(narrowWindow(coded, AT_ONCE_WINDOW_BITS), options),
    },
  ],
  ['zstd', { decoder: zstdDecoder, isFramed: true }],
])

/** The most codings of a body: real answers have one, two are rare, and a long list is an attack. */
const MAX_CODINGS = 4

/** Bodies up to these sizes are decoded at once: thread pool and stream take five times as long as the decoding. */
const AT_ONCE_BYTES = 16 * 1024
const AT_ONCE_DECODED_BYTES = narrowDecodedBytes(AT_ONCE_WINDOW_BITS)

/** The most bytes of a short body, coded and decoded. */
export const SHORT_BYTES = narrowDecodedBytes(SHORT_WINDOW_BITS)
/**
 * Few pieces, since each waits for a turn of the event loop. A server that streams zstd declares 2 MiB, whatever the
 * length of the body.
 */
const SHORT: DecoderSize = { chunkSize: 512 * 1024, zstdWindowBits: 21 }

/**
 * Decodes a collected body: gzip (also several members), x-gzip, deflate (zlib and raw), br, zstd, identity and lists
 * of them (RFC 9110, 8.4.1). Bytes are decoded only as fast as the consumer takes them: besides its window, a decoder
 * holds some hundred KiB, whatever size the body unpacks to. A window may have 16 MiB even for a body of a few bytes,
 * so that the caller bounds the number of bodies. Other work runs between pieces. A body is undecodable with an unknown
 * coding, more than four codings, more than 1,000 zstd frames, or bytes that don't fit the coding. An empty body
 * decodes to nothing. Rejects only where `consume` does.
 */
export async function decodeBody(
  raw: readonly Uint8Array[],
  contentEncoding: string,
  options: DecodeOptions,
): Promise<DecodedBody> {
  const codings = codingsOf(contentEncoding)
  if (codings === undefined) return { kind: 'undecodable' }
  const { limitBytes, consume, slice } = options
  const progress: DecodeProgress = { cut: false, truncated: false, undecodable: false }
  let pieces = piecesOf(raw)
  for (const coding of codings)
    pieces = limitedTo(decodeStage(new PieceSource(pieces), coding, { progress, slice }), limitBytes, progress)
  if (codings.length === 0) pieces = limitedTo(pieces, limitBytes, progress)
  for await (const piece of pieces) {
    const taken = consume(piece)
    if (!(typeof taken === 'boolean' ? taken : await taken)) return { kind: 'stopped' }
    if (slice.isDue) await slice.next()
  }
  if (progress.undecodable) return { kind: 'undecodable' }
  return { kind: 'decoded', cut: progress.cut, truncated: progress.truncated }
}

/**
 * Decodes a small body at once, without a decoder that outlives the call; undefined where the body needs `decodeBody`.
 */
export function decodeAtOnce(
  raw: readonly Uint8Array[],
  contentEncoding: string,
  limitBytes: number,
): Buffer | undefined {
  const codings = codingsOf(contentEncoding)
  if (codings === undefined || raw.reduce((sum, chunk) => sum + chunk.length, 0) > AT_ONCE_BYTES) return undefined
  const maxOutputLength = Math.max(1, Math.min(limitBytes, AT_ONCE_DECODED_BYTES))
  let bytes: Buffer = Buffer.concat(raw)
  for (const { atOnce } of codings) {
    if (bytes.length === 0) return bytes
    if (atOnce === undefined || bytes.length > AT_ONCE_BYTES) return undefined
    try {
      bytes = atOnce(bytes, { maxOutputLength })
    } catch {
      // The body is too large, truncated or broken; the streaming decoder finds out which.
      return undefined
    }
  }
  return bytes.length > limitBytes ? undefined : bytes
}

/**
 * Decodes a body up to `SHORT_BYTES` in some jobs of the thread pool, one coding after another, and gives up beyond;
 * undefined where the body needs `decodeBody`. A decoder takes up to 3 MiB.
 */
export async function decodeShort(
  raw: readonly Uint8Array[],
  contentEncoding: string,
  limitBytes: number,
): Promise<Buffer | undefined> {
  let bytes: Buffer | undefined = Buffer.concat(raw)
  for (const coding of codingsOf(contentEncoding) ?? []) {
    if (bytes.length === 0) return bytes
    bytes = await decodeUpTo(Math.min(limitBytes, SHORT_BYTES), bytes, coding)
    if (bytes === undefined) return undefined
  }
  return bytes
}

async function decodeUpTo(most: number, coded: Buffer, { decoder, narrow }: Coding): Promise<Buffer | undefined> {
  const decoding = decoder(coded, SHORT)
  const pieces: Buffer[] = []
  let length = 0
  decoding.end(narrow?.(coded) ?? coded)
  try {
    for await (const piece of decoding) {
      pieces.push(piece)
      length += piece.length
      if (length > most) return undefined
    }
  } catch {
    // The body is too wide, truncated or broken; `decodeBody` finds out which.
    return undefined
  }
  // Bytes behind a frame need a further decoder.
  return decoding.bytesWritten === coded.length ? Buffer.concat(pieces, length) : undefined
}

/** Returns true where each coding of the list is known. */
export function hasKnownCodings(contentEncoding: string): boolean {
  return codingsOf(contentEncoding) !== undefined
}

/** Returns the codings in the order of decoding; undefined where one is unknown. */
function codingsOf(contentEncoding: string): readonly Coding[] | undefined {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MAX_CODINGS) return undefined
  const codings: Coding[] = []
  for (const name of names.reverse()) {
    const coding = CODINGS.get(name)
    if (coding === undefined) return undefined
    codings.push(coding)
  }
  return codings
}

/** Yields the first `limitBytes` of the pieces. */
async function* limitedTo(
  pieces: AsyncIterable<Buffer>,
  limitBytes: number,
  progress: DecodeProgress,
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

/** A frame may request a window of gigabytes; RFC 9659 allows a content coding 8 MiB (2^23). */
function zstdDecoder(_: Buffer, { chunkSize, zstdWindowBits }: DecoderSize): Decoder {
  return zlib.createZstdDecompress({ chunkSize, params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowBits } })
}

/**
 * Returns true for a zlib header (RFC 1950, 2.2); some servers send raw deflate under the same name (RFC 9110,
 * 8.4.1.2).
 */
function hasZlibHeader(start: Buffer): boolean {
  return start.length >= 2 && (start.readUInt8(0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0
}
