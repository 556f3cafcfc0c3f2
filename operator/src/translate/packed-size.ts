import { gzipSync } from 'node:zlib'
import type { Steps } from './steps.ts'

/** The packing of so many bytes is one step. */
const PACKED_AT_ONCE_BYTES = 512 * 1024

/**
 * Returns at least the bytes that a text takes when it is packed, and some number above `most` where it takes more.
 * Level 1 packs least, and parts pack less than their whole.
 */
export function* packedSize(text: Buffer, most = Number.POSITIVE_INFINITY): Steps<number> {
  let bytes = 0
  for (let from = 0; from < text.length && bytes <= most; from += PACKED_AT_ONCE_BYTES) {
    bytes += gzipSync(text.subarray(from, from + PACKED_AT_ONCE_BYTES), { level: 1 }).length
    yield
  }
  return bytes
}
