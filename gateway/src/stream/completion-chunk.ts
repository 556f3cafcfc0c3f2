import { randomBytes } from 'node:crypto'
import { isJsonObject, type JsonObject, parseJson } from './json-object.ts'

/** Reading and writing this many bytes takes at most 30 ms of the main thread. */
const MAX_BYTES = 4 * 1024 * 1024
/** The size above which a string is neither parsed nor encoded again: V8 takes 100 ms for 4 MiB of some escapes. */
const LONG_STRING = 128
/** The most long strings, since each takes some microsecond. */
const MAX_LONG_STRINGS = 10_000

const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Returns a chat completion as a stream's single chunk, which clients of a stream can read. Of other JSON only the line
 * breaks are replaced, since only a chat completion has nearly the same form as its chunks. The same applies to an
 * answer of more than 4 MiB, 500 levels, some 50,000 values or 10,000 long strings, because converting it would take too
 * long. Long strings stay as they were written. `json` must be valid JSON.
 */
export function completionChunk(json: Buffer): Buffer {
  if (json.length > MAX_BYTES) return oneLine(json)
  const { rest, strings, mark } = withoutLongStrings(json)
  const answer = strings.length > MAX_LONG_STRINGS ? undefined : parseJson(rest)
  if (!isJsonObject(answer) || answer.object !== 'chat.completion' || !Array.isArray(answer.choices))
    return oneLine(json)
  const chunk = { ...answer, object: 'chat.completion.chunk', choices: answer.choices.map(chunkChoice) }
  return withLongStrings(JSON.stringify(chunk), strings, mark)
}

type Shortened = {
  /** The JSON with a short string in place of each long one: the mark and the number of the long string. */
  readonly rest: Buffer
  /** The long strings with their quotes. */
  readonly strings: readonly Buffer[]
  /** A text that no answer contains, because it is random. */
  readonly mark: string
}

function withoutLongStrings(json: Buffer): Shortened {
  const mark = randomBytes(9).toString('base64url')
  const strings: Buffer[] = []
  const parts: Buffer[] = []
  let copied = 0
  for (let at = 0; at < json.length && strings.length <= MAX_LONG_STRINGS; at++) {
    if (json[at] !== QUOTE) continue
    const start = at
    at = stringEnd(json, start)
    if (at - start - 1 <= LONG_STRING) continue
    parts.push(json.subarray(copied, start), Buffer.from(`"${mark}${strings.length}"`))
    copied = at + 1
    strings.push(json.subarray(start, copied))
  }
  return { rest: strings.length === 0 ? json : Buffer.concat([...parts, json.subarray(copied)]), strings, mark }
}

/** Returns the position of the quote that ends the string. */
function stringEnd(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

function withLongStrings(rest: string, strings: readonly Buffer[], mark: string): Buffer {
  const [first = '', ...others] = rest.split(`"${mark}`)
  const parts: Buffer[] = [Buffer.from(first)]
  for (const other of others) {
    const quote = other.indexOf('"')
    const string = strings[Number(other.slice(0, quote))]
    if (string !== undefined) parts.push(string)
    parts.push(Buffer.from(other.slice(quote + 1)))
  }
  return Buffer.concat(parts)
}

/** Replaces LF and CR, which would end the event's line, by spaces; in JSON both occur only as white space. */
function oneLine(json: Buffer): Buffer {
  if (!json.includes(LF) && !json.includes(CR)) return json
  const line = Buffer.from(json)
  for (let at = 0; at < line.length; at++) if (line[at] === LF || line[at] === CR) line[at] = 0x20
  return line
}

function chunkChoice(choice: unknown): unknown {
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return choice
  const { message, ...rest } = choice
  return { ...rest, delta: delta(choice.message) }
}

/** Adds the index to tool calls, which chunks require. */
function delta(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message
  const calls = message.tool_calls.map((call: unknown, index) => (isJsonObject(call) ? { index, ...call } : call))
  return { ...message, tool_calls: calls }
}
