import { gunzipSync } from 'node:zlib'

/** The largest file that the gateway unpacks (docs/reference/configuration-rules.md#where-the-files-are). */
const MAX_BYTES = 64 * 1024 * 1024

/** Returns the text of a gl_config.json, unpacked. Bytes that can't be unpacked stay as they are. */
export function textOf(bytes: Uint8Array): string {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b
  return Buffer.from(packed ? unpacked(bytes) : bytes).toString('utf8')
}

function unpacked(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    // The gateway's check reports the fault.
    if (error instanceof Error) return bytes
    throw error
  }
}
