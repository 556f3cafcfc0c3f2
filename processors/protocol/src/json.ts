// Strips a byte order mark and replaces malformed UTF-8, like the decoders of the processors and of the original
// gateway.
const decoder = new TextDecoder()

/** Parses a JSON text; undefined for malformed bytes. Never throws. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    return undefined // no JSON text means undefined, so undefined marks a failure
  }
}

/** Returns whether a JSON value is an object: not null, not an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/**
 * Puts a JSON text on one line. Inside strings line breaks are escaped, so raw line breaks are insignificant white
 * space. Copies only when there is a line break.
 */
export function toOneLine(json: Uint8Array): Uint8Array {
  // A Buffer's search takes a tenth of the time of a plain array's.
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length)
  if (!bytes.includes(LINE_FEED) && !bytes.includes(CARRIAGE_RETURN)) return json
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte))
}

/**
 * Control characters of terminals: they move the cursor, set colours or a title, answer to a query, or turn the order of
 * letters around. JSON allows DEL, C1 and the marks of direction in strings, so a caller can place them in a record.
 */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Returns bytes as one line for a terminal. Control characters become `\u001b`, which in a JSON string has the same meaning. */
export function printableLine(bytes: Uint8Array): string {
  const text = Buffer.from(toOneLine(bytes)).toString()
  return text.replaceAll(CONTROLS, (character) =>
    character === '\t' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const INDEX = /^(?:0|[1-9][0-9]*)$/

/**
 * Compiles a path such as `choices[0].message.content`, the same as `choices.0.message.content`. The function reads own
 * properties only, returns undefined when a part of the path is missing, and also takes the fields of a message (a
 * Map).
 */
export function compileJsonPath(path: string): (value: unknown) => unknown {
  const segments = pathSegments(path)
  return (value) => segments.reduce(step, value)
}

/** Splits a path: `a[0].b` becomes `a`, `0`, `b`. */
export function pathSegments(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((segment) => segment !== '')
}

function step(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return INDEX.test(segment) ? value[Number(segment)] : undefined
  if (value instanceof Map) return value.get(segment)
  if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return undefined
  return value[segment]
}
