import { gunzipSync } from 'node:zlib'

/** The gateway unpacks no larger file (docs/reference/configuration-rules.md#where-the-files-are). */
const MOST_BYTES = 64 * 1024 * 1024

/** The text of a gl_config.json, unpacked where it is packed; of what can't be unpacked as it is. */
export function textOf(bytes: Uint8Array): string {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b
  return Buffer.from(packed ? unpacked(bytes) : bytes).toString('utf8')
}

function unpacked(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    // The check says so in its own words.
    if (error instanceof Error) return bytes
    throw error
  }
}
