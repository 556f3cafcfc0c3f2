import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { type JsonParts, jsonList } from './json-parts.ts'
import { CONTAINER_ENTRIES, type MessageSize } from './message-size.ts'

/**
 * Fields of a delta whose text comes in pieces; compatible servers send `reasoning_content` and `reasoning`. Some
 * servers send parts in place of a text, in all deltas or only in some, as for reasoning before the text.
 */
const TEXT_FIELDS = new Set(['content', 'refusal', 'reasoning_content', 'reasoning'])

/** Fields of a delta that are assembled by their own rules; some servers send them as null in each chunk. */
const NESTED_FIELDS = new Set(['tool_calls', 'function_call', 'audio'])

/** The `message` of one choice, assembled from its deltas. */
export class GrowingMessage {
  readonly #messageSize: MessageSize
  readonly #fields: GrowingObject
  readonly #toolCalls: ToolCalls
  #functionCall: GrowingObject | undefined
  #audio: GrowingObject | undefined

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
    this.#fields = new GrowingObject(messageSize)
    this.#toolCalls = new ToolCalls(messageSize)
  }

  take(delta: JsonObject): void {
    for (const key of Object.keys(delta)) this.#takeField(key, delta[key])
  }

  finish(): JsonParts {
    for (const key of ['content', 'refusal']) if (!this.#fields.has(key)) this.#fields.set(key, null)
    if (this.#audio !== undefined) this.#fields.setParts('audio', this.#audio.toJson())
    if (this.#functionCall !== undefined) this.#fields.setParts('function_call', this.#functionCall.toJson())
    if (this.#toolCalls.hasCalls) this.#fields.setParts('tool_calls', this.#toolCalls.finish())
    return this.#fields.toJson()
  }

  #takeField(key: string, value: unknown): void {
    if (value === null && NESTED_FIELDS.has(key)) return
    if (key === 'tool_calls' && Array.isArray(value)) this.#toolCalls.take(value)
    else if (key === 'function_call' && isJsonObject(value)) {
      this.#functionCall ??= new GrowingObject(this.#messageSize)
      takeCall(this.#functionCall, value, 'arguments')
    } else if (key === 'audio' && isJsonObject(value)) this.#takeAudio(value)
    else if (typeof value === 'string' && TEXT_FIELDS.has(key)) this.#fields.append(key, value)
    // Lists of parts grow like texts: content of some servers, reasoning_details, annotations.
    else if (Array.isArray(value)) this.#fields.push(key, value)
    else if (isJsonObject(value) && TEXT_FIELDS.has(key)) this.#fields.push(key, [value])
    else this.#fields.offer(key, value)
  }

  #takeAudio(piece: JsonObject): void {
    this.#audio ??= new GrowingObject(this.#messageSize)
    for (const [key, value] of Object.entries(piece)) {
      if (typeof value === 'string' && (key === 'data' || key === 'transcript')) this.#audio.append(key, value)
      else this.#audio.offer(key, value)
    }
  }
}

/** Tool calls by their index, in a Map so that an index of a billion takes one entry. */
class ToolCalls {
  readonly #messageSize: MessageSize
  readonly #calls = new Map<number, ToolCall>()
  #last = 0

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0
  }

  take(pieces: readonly unknown[]): void {
    for (const piece of pieces) if (isJsonObject(piece)) this.#callOf(piece).take(piece)
  }

  finish(): JsonParts {
    return jsonList([...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call.finish()))
  }

  #callOf(piece: JsonObject): ToolCall {
    const { index, id } = piece
    // Some servers send no index: a piece with an id begins a call, a piece without an id continues the last call.
    const isFirst = typeof id === 'string' && id !== ''
    if (typeof index === 'number') this.#last = index
    else if (isFirst && this.#calls.size > 0) this.#last += 1
    let call = this.#calls.get(this.#last)
    if (call === undefined) {
      call = new ToolCall(this.#messageSize)
      this.#messageSize.addEntries(CONTAINER_ENTRIES)
      this.#calls.set(this.#last, call)
    }
    return call
  }
}

const CALL_OWN_FIELDS = new Set(['index', 'function', 'custom'])

class ToolCall {
  readonly #messageSize: MessageSize
  readonly #fields: GrowingObject
  #function: GrowingObject | undefined
  #custom: GrowingObject | undefined

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
    this.#fields = new GrowingObject(messageSize)
  }

  take(piece: JsonObject): void {
    this.#fields.fill(piece, CALL_OWN_FIELDS)
    if (isJsonObject(piece.function)) {
      this.#function ??= new GrowingObject(this.#messageSize)
      takeCall(this.#function, piece.function, 'arguments')
    }
    if (isJsonObject(piece.custom)) {
      this.#custom ??= new GrowingObject(this.#messageSize)
      takeCall(this.#custom, piece.custom, 'input')
    }
  }

  finish(): JsonParts {
    if (this.#function !== undefined) this.#fields.setParts('function', this.#function.toJson())
    if (this.#custom !== undefined) this.#fields.setParts('custom', this.#custom.toJson())
    return this.#fields.toJson()
  }
}

function takeCall(call: GrowingObject, piece: JsonObject, text: 'arguments' | 'input'): void {
  for (const [key, value] of Object.entries(piece)) {
    if (key === text && typeof value === 'string') call.append(key, value)
    else call.offer(key, value)
  }
}
