import { isJsonObject, type JsonObject, parseJson } from './json-object.ts'

/** Parsing and writing so many bytes takes 30 ms of the main thread at worst. */
const MOST_BYTES = 4 * 1024 * 1024

const LF = 0x0a
const CR = 0x0d

/**
 * A chat completion as the one chunk of a stream that has it whole: what clients that asked for a stream read. Anything
 * else stays as it is: only this API's chunks are its answers cut in pieces. So does an answer that would take too long:
 * of more than 4 MiB, 500 levels or some 50,000 values.
 */
export function completionChunk(json: Buffer): Buffer {
  const answer = json.length > MOST_BYTES ? undefined : parseJson(json)
  if (!isJsonObject(answer) || answer.object !== 'chat.completion' || !Array.isArray(answer.choices))
    return oneLine(json)
  const chunk = { ...answer, object: 'chat.completion.chunk', choices: answer.choices.map(chunkChoice) }
  return Buffer.from(JSON.stringify(chunk))
}

/** A line of an event ends at the first LF or CR; in JSON both only stand where a space may. */
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

/** Tool calls of a chunk say which they are. */
function delta(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message
  const calls = message.tool_calls.map((call: unknown, index) => (isJsonObject(call) ? { index, ...call } : call))
  return { ...message, tool_calls: calls }
}
