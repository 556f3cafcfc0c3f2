import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'

/** The gateway's own limit for unpacking. */
const LIMITS = { maxOutputLength: 64 * 1024 * 1024 }

const unpack = promisify(gunzip)

/**
 * Returns the text of a ConfigMap's packed member, which is base64 of gzip; undefined: it is damaged. Up to 64 MiB are
 * unpacked beside the event loop.
 */
export async function unpackText(packed: string): Promise<string | undefined> {
  try {
    return (await unpack(Buffer.from(packed, 'base64'), LIMITS)).toString()
  } catch (error) {
    return undefinedFor(error)
  }
}

/** unpackText for a thread that serves nobody else. */
export function unpackTextAtOnce(packed: string): string | undefined {
  try {
    return gunzipSync(Buffer.from(packed, 'base64'), LIMITS).toString()
  } catch (error) {
    return undefinedFor(error)
  }
}

function undefinedFor(error: unknown): undefined {
  if (!(error instanceof Error)) throw error
}
