import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { jsonErrorPosition } from './json-error-position.ts'

export const LIMIT_BYTES = 64 * 1024 * 1024
/** The deepest nesting, since all later steps walk the value by recursion. */
const DEEPEST = 64
/** The most memory of a parsed file: a parser that runs out of memory ends the process, even from a thread. */
const MEMORY_BYTES = 512 * 1024 * 1024
/**
 * The estimated memory of a value or a key, with its slot in the container: an object takes 64 bytes, a key of a large
 * object 128.
 */
const BYTES_PER_VALUE = 100

export type DecodedFile =
  | { readonly kind: 'decoded'; readonly digest: string; readonly value: unknown }
  /** Reasons: `size:`, `gzip:`, `depth:`, `json: line 12, column 3`; `json:` alone for bytes that aren't UTF-8. */
  | { readonly kind: 'broken'; readonly digest: string; readonly reason: string }

/** Unpacks and parses a configuration file. The first two bytes show whether it is gzip; the digest is of the JSON. */
export function decodeFile(bytes: Uint8Array, memoryBytes = MEMORY_BYTES): DecodedFile {
  if (bytes.length > LIMIT_BYTES) return { kind: 'broken', digest: digestOf(bytes), reason: 'size:' }
  const json = unpack(bytes)
  if (json === undefined) return { kind: 'broken', digest: digestOf(bytes), reason: 'gzip:' }
  const digest = digestOf(json)
  const reason = excess(json, memoryBytes)
  if (reason !== undefined) return { kind: 'broken', digest, reason }
  const text = decodeUtf8(json)
  if (text === undefined) return { kind: 'broken', digest, reason: 'json:' }
  try {
    return { kind: 'decoded', digest, value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'broken', digest, reason: brokenJson(text) }
    throw error
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Finds the place with our own scan: the parser's message quotes the text, which may contain a secret. */
function brokenJson(text: string): string {
  const place = jsonErrorPosition(text)
  return place === undefined ? 'json:' : `json: line ${place.line}, column ${place.column}`
}

function unpack(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: LIMIT_BYTES })
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, COMMA, COLON] = Buffer.from('"\\[]{},:')

/** Checks depth and size from the bytes before the text is parsed: millions of brackets would take gigabytes. */
function excess(json: Uint8Array, memoryBytes: number): string | undefined {
  // A JavaScript string takes two bytes for each character where any character is beyond Latin-1.
  let valuesLeft = (memoryBytes - 2 * json.length) / BYTES_PER_VALUE
  let depth = 0
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i]
    if (byte === QUOTE) i = closingQuote(json, i)
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1
      valuesLeft -= 1
      if (depth > DEEPEST) return 'depth:'
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1
    else if (byte === COMMA || byte === COLON) valuesLeft -= 1
  }
  return valuesLeft < 0 ? 'size:' : undefined
}

function closingQuote(json: Uint8Array, opening: number): number {
  let i = opening + 1
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1
  return i
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
