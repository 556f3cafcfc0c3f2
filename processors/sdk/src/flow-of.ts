const GL_PATH = Buffer.from('{"gl_path":"')
const QUOTE = 0x22
const MOST_BYTES = 1_024

/**
 * The flow of a message in the fair queue: its router, read without decoding. The gateway writes `gl_path` first where a
 * row selects it, before everything that a caller sent. Messages without it share one flow.
 */
export function flowOf(bytes: Uint8Array): string {
  const start = GL_PATH.length
  if (bytes.length <= start || GL_PATH.compare(bytes, 0, start) !== 0) return ''
  const end = bytes.subarray(0, start + MOST_BYTES).indexOf(QUOTE, start)
  return end < 0 ? '' : Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}
