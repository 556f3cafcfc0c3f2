import { gunzipSync } from 'node:zlib'

/** The gateway's own limit for unpacking. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024

/** Returns the text of a ConfigMap's packed member, which is base64 of gzip; undefined: it is damaged. */
export function unpackText(packed: string): string | undefined {
  try {
    return gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_TEXT_BYTES }).toString()
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
