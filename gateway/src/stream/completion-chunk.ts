import { isJsonObject, type JsonObject } from './json-object.ts'

/**
 * A chat completion as the one chunk of a stream that has it whole: what clients that asked for a stream read. Anything
 * else stays as it is: only this API's chunks are its answers cut in pieces.
 */
export function completionChunk(answer: unknown): unknown {
  if (!isJsonObject(answer) || answer.object !== 'chat.completion' || !Array.isArray(answer.choices)) return answer
  return { ...answer, object: 'chat.completion.chunk', choices: answer.choices.map(chunkChoice) }
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
