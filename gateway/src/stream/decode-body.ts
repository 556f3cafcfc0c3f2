import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** `cut`: only the first `limitBytes` are there. `truncated`: the body ended before its coding did; the bytes are what arrived. */
export type DecodedBody =
  | { readonly kind: 'decoded'; readonly bytes: Buffer; readonly cut: boolean; readonly truncated: boolean }
  | { readonly kind: 'undecodable' }

type Decoder = Transform & { readonly bytesWritten: number }
type Coding = {
  readonly decoder: (coded: Buffer) => Decoder
  readonly atOnce?: (coded: Buffer, options: { maxOutputLength: number }) => Buffer
  /** Whether Node decodes only the first frame of a write, so that the rest has to be begun anew. */
  readonly isFramed?: true
}

const CODINGS: ReadonlyMap<string, Coding> = new Map<string, Coding>([
  ['gzip', { decoder: () => zlib.createGunzip(), atOnce: zlib.gunzipSync }],
  ['x-gzip', { decoder: () => zlib.createGunzip(), atOnce: zlib.gunzipSync }],
  ['deflate', { decoder: (coded) => (hasZlibHeader(coded) ? zlib.createInflate() : zlib.createInflateRaw()) }],
  ['br', { decoder: () => zlib.createBrotliDecompress(), atOnce: zlib.brotliDecompressSync }],
  ['zstd', { decoder: zstdDecoder, isFramed: true }],
])

/** A real answer has one coding, a chain of two is a curiosity, and a hundred of them is an attack. */
const MOST_CODINGS = 4

/** Frames of one zstd body: each costs a decoder. */
const MOST_MEMBERS = 1_000

/** Up to these sizes a body is decoded in one step: the thread pool and the stream cost five times what the decoding does. */
const AT_ONCE_BYTES = 16 * 1024
const AT_ONCE_DECODED_BYTES = 256 * 1024

/**
 * Decodes a collected body: gzip (several members too), x-gzip, deflate (zlib and raw), br, zstd, identity and lists of them (RFC 9110, 8.4.1).
 *
 * Decodes as a stream and stops at `limitBytes` after each coding, so a decompression bomb costs no more memory than an honest body of that size.
 * Undecodable: an unknown coding, more than four, more than 1,000 zstd frames or bytes that aren't of the coding. No bytes at all decode to none. Never rejects.
 */
export async function decodeBody(
  raw: readonly Uint8Array[],
  contentEncoding: string,
  limitBytes: number,
): Promise<DecodedBody> {
  const codings = codingsOf(contentEncoding)
  if (codings === undefined) return { kind: 'undecodable' }
  let body: DecodedBody = cutTo(raw, codings.length === 0 ? limitBytes : Number.POSITIVE_INFINITY)
  for (const coding of codings) {
    if (body.kind === 'undecodable' || body.bytes.length === 0) break
    const before: { readonly cut: boolean; readonly truncated: boolean } = body
    const next = await decode(body.bytes, coding, limitBytes)
    // What follows a stage that was stopped at the limit is a prefix too.
    body = next.kind === 'decoded' && before.cut ? { ...next, cut: true, truncated: before.truncated } : next
  }
  return body
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

async function decode(coded: Buffer, coding: Coding, limitBytes: number): Promise<DecodedBody> {
  const whole = decodeAtOnce(coded, coding, limitBytes)
  if (whole !== undefined) return { kind: 'decoded', bytes: whole, cut: false, truncated: false }
  const members: Buffer[] = []
  let at = 0
  let size = 0
  while (members.length < MOST_MEMBERS) {
    const member = await decodeMember(coded.subarray(at), coding, limitBytes - size)
    if (member.kind === 'undecodable') return member
    members.push(member.bytes)
    size += member.bytes.length
    at += member.consumed
    const hasNext = coding.isFramed === true && member.consumed > 0 && isZstdFrame(coded, at)
    const { cut, truncated } = member
    if (cut || truncated || !hasNext) return { kind: 'decoded', bytes: joined(members, size), cut, truncated }
  }
  return { kind: 'undecodable' }
}

/** Undefined for all but small and whole bodies. */
function decodeAtOnce(coded: Buffer, { atOnce }: Coding, limitBytes: number): Buffer | undefined {
  if (atOnce === undefined || coded.length > AT_ONCE_BYTES) return undefined
  try {
    return atOnce(coded, { maxOutputLength: Math.max(1, Math.min(limitBytes, AT_ONCE_DECODED_BYTES)) })
  } catch {
    // Too large, truncated or broken: decoding it as a stream tells which.
    return undefined
  }
}

type Member =
  | {
      readonly kind: 'decoded'
      readonly bytes: Buffer
      readonly cut: boolean
      readonly truncated: boolean
      readonly consumed: number
    }
  | { readonly kind: 'undecodable' }

function decodeMember(coded: Buffer, coding: Coding, limitBytes: number): Promise<Member> {
  return new Promise((resolve) => {
    const decoder = coding.decoder(coded)
    const chunks: Buffer[] = []
    let size = 0
    const end = (cut: boolean, truncated: boolean) => {
      const bytes = joined(chunks, Math.min(size, limitBytes))
      resolve({ kind: 'decoded', bytes, cut, truncated, consumed: decoder.bytesWritten })
      decoder.destroy()
    }
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > limitBytes) end(true, false)
    })
    decoder.on('end', () => end(false, false))
    decoder.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'Z_BUF_ERROR') end(false, true)
      else resolve({ kind: 'undecodable' })
    })
    // Ended only after the write is through: with both in one step zlib throws away what it decoded of a truncated body.
    decoder.write(coded, () => decoder.end())
  })
}

function cutTo(raw: readonly Uint8Array[], limitBytes: number): DecodedBody {
  const size = raw.reduce((sum, chunk) => sum + chunk.length, 0)
  return { kind: 'decoded', bytes: joined(raw, Math.min(size, limitBytes)), cut: size > limitBytes, truncated: false }
}

/** The first `size` bytes; not copied where they lie in one piece. */
function joined(chunks: readonly Uint8Array[], size: number): Buffer {
  const [first] = chunks
  if (first === undefined || first.length < size) return Buffer.concat(chunks, size)
  return Buffer.from(first.buffer, first.byteOffset, size)
}

/** A frame may ask for a window of gigabytes; RFC 9659 allows 8 MiB (2^23) to a content coding. */
function zstdDecoder(): Decoder {
  return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } })
}

/** RFC 1950, 2.2; servers send raw deflate under the name of zlib's (RFC 9110, 8.4.1.2). */
function hasZlibHeader(coded: Buffer): boolean {
  return coded.length >= 2 && (coded.readUInt8(0) & 0x0f) === 8 && coded.readUInt16BE(0) % 31 === 0
}

/** RFC 8878, 3.1.1. */
function isZstdFrame(coded: Buffer, at: number): boolean {
  return coded.length - at >= 4 && coded.readUInt32LE(at) === 0xfd2fb528
}
