import { isJsonObject, type JsonObject, parseJson } from './json-object.ts'

/** Parsing and writing this many bytes takes at most 30 ms of the main thread. */
const MAX_BYTES = 4 * 1024 * 1024

const LF = 0x0a
const CR = 0x0d

/**
 * Returns a chat completion as a stream's single chunk, which clients of a stream can read. Of other JSON only the line
 * breaks are replaced, since only a chat completion has nearly the same form as its chunks. The same applies to an
 * answer of more than 4 MiB, 500 levels or some 50,000 values, because converting it would take too long.
 */
export function completionChunk(json: Buffer): Buffer {
  const answer = json.length > MAX_BYTES ? undefined : parseJson(json)
  if (!isJsonObject(answer) || answer.object !== 'chat.completion' || !Array.isArray(answer.choices))
    return oneLine(json)
  const chunk = { ...answer, object: 'chat.completion.chunk', choices: answer.choices.map(chunkChoice) }
  return Buffer.from(JSON.stringify(chunk))
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
