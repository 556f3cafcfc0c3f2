import { isJsonObject } from '../json.ts'

/**
 * Characters of one chunk's JSON. Larger chunks are pictures, and a parsed value takes many times the memory of its
 * text.
 */
const MOST_CHUNK = 1024 * 1024
/**
 * The maximum of malformed chunks. Each costs many times a good chunk's time, and an honest stream has at most one, its
 * torn end.
 */
const MOST_BROKEN = 100
/** White space, then an object. */
const BEGINS_OBJECT = /^\s{0,8}\{/

/**
 * Yields the chunks of a recorded stream, parsed one at a time; none for any other payload. The payload is a list
 * (Gemini), the text of events or lines (server-sent events, NDJSON), or base64 of bytes (Bedrock, whose InvokeModel
 * encodes the model's chunks in base64 once more).
 */
export function* streamChunks(payload: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(payload)) yield* payload.filter(isJsonObject)
  else if (typeof payload === 'string') yield* parsedChunks(dataLines(payload))
  else if (isJsonObject(payload) && typeof payload.base64 === 'string') {
    yield* invokedChunks(parsedChunks(awsEvents(Buffer.from(payload.base64, 'base64'))))
  }
}

function* invokedChunks(
  frames: Iterable<Readonly<Record<string, unknown>>>,
): Generator<Readonly<Record<string, unknown>>> {
  let broken = 0
  for (const frame of frames) {
    const [chunk] =
      typeof frame.bytes === 'string' ? parsedChunks([Buffer.from(frame.bytes, 'base64').toString()]) : [frame]
    if (chunk === undefined) broken += 1
    else yield chunk
    if (broken > MOST_BROKEN) return
  }
}

function* parsedChunks(texts: Iterable<string>): Generator<Readonly<Record<string, unknown>>> {
  let broken = 0
  for (const text of texts) {
    if (text.length > MOST_CHUNK || !BEGINS_OBJECT.test(text)) continue
    const chunk = parsed(text)
    if (isJsonObject(chunk)) yield chunk
    else broken += 1
    if (broken > MOST_BROKEN) return
  }
}

function* dataLines(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const from = text.startsWith('data:', start) ? start + 'data:'.length : start
    yield text.slice(from, end === -1 ? text.length : end)
    start = end === -1 ? text.length : end + 1
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // the torn end of a stream, or a line of prose
  }
}

/** Total length, length of the headers, checksum of both: 4 bytes each, big-endian. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

/**
 * Yields the payloads of the complete frames of an `application/vnd.amazon.eventstream` (AWS event stream encoding) as
 * texts. Checksums aren't checked, since TLS has protected the bytes.
 */
function* awsEvents(bytes: Buffer): Generator<string> {
  for (let at = 0; at + PRELUDE_BYTES + CHECKSUM_BYTES <= bytes.length; ) {
    const frameBytes = bytes.readUInt32BE(at)
    const start = at + PRELUDE_BYTES + bytes.readUInt32BE(at + 4)
    const end = at + frameBytes - CHECKSUM_BYTES
    if (start > end || end + CHECKSUM_BYTES > bytes.length) return
    yield bytes.toString('utf8', start, end)
    at += frameBytes
  }
}
