/** Total length, length of the headers, checksum of both: 4 bytes each, big-endian. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

/**
 * The payloads of an `application/vnd.amazon.eventstream` (AWS event stream encoding) as texts, as far as its frames are
 * whole. Checksums aren't looked at: TLS brought the bytes.
 */
export function* awsEvents(bytes: Buffer): Generator<string> {
  for (let at = 0; at + PRELUDE_BYTES + CHECKSUM_BYTES <= bytes.length; ) {
    const frameBytes = bytes.readUInt32BE(at)
    const start = at + PRELUDE_BYTES + bytes.readUInt32BE(at + 4)
    const end = at + frameBytes - CHECKSUM_BYTES
    if (start > end || end + CHECKSUM_BYTES > bytes.length) return
    yield bytes.toString('utf8', start, end)
    at += frameBytes
  }
}
