// Strips a byte order mark and replaces broken UTF-8, as the processors' and the original gateway's decoders do.
const decoder = new TextDecoder()

/** The value of a JSON text, undefined where the bytes aren't one; never throws. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    return undefined // No JSON text has this value, so the caller can tell.
  }
}

/** Whether a JSON value is an object: not null, not an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
