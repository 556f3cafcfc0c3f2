import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'

/** Fields of a delta whose text comes in pieces; `reasoning_content` and `reasoning` are those of the compatible servers. */
const TEXTS = new Set(['content', 'refusal', 'reasoning_content', 'reasoning'])

/** Fields of a delta that are put together by their own rules; some servers send them as null in each chunk. */
const NESTED = new Set(['tool_calls', 'function_call', 'audio'])

/** The `message` of one choice, from its deltas. */
export class GrowingMessage {
  readonly #fields = new GrowingObject()
  readonly #toolCalls = new ToolCalls()
  #functionCall: GrowingObject | undefined
  #audio: GrowingObject | undefined

  take(delta: JsonObject): void {
    for (const [key, value] of Object.entries(delta)) this.#takeField(key, value)
  }

  finish(): JsonObject {
    for (const key of ['content', 'refusal']) if (!this.#fields.has(key)) this.#fields.set(key, null)
    if (this.#audio !== undefined) this.#fields.set('audio', this.#audio.toObject())
    if (this.#functionCall !== undefined) this.#fields.set('function_call', this.#functionCall.toObject())
    if (this.#toolCalls.any) this.#fields.set('tool_calls', this.#toolCalls.finish())
    return this.#fields.toObject()
  }

  #takeField(key: string, value: unknown): void {
    if (value === null && NESTED.has(key)) return
    if (key === 'tool_calls' && Array.isArray(value)) this.#toolCalls.take(value)
    else if (key === 'function_call' && isJsonObject(value)) {
      this.#functionCall ??= new GrowingObject()
      takeCall(this.#functionCall, value, 'arguments')
    } else if (key === 'audio' && isJsonObject(value)) this.#takeAudio(value)
    else if (typeof value === 'string' && TEXTS.has(key)) this.#fields.append(key, value)
    // Lists of parts (content of some servers, reasoning_details, annotations) grow as texts do.
    else if (Array.isArray(value)) this.#fields.push(key, value)
    else this.#fields.offer(key, value)
  }

  #takeAudio(piece: JsonObject): void {
    this.#audio ??= new GrowingObject()
    for (const [key, value] of Object.entries(piece)) {
      if (typeof value === 'string' && (key === 'data' || key === 'transcript')) this.#audio.append(key, value)
      else this.#audio.offer(key, value)
    }
  }
}

/** Tool calls by their index: a Map, so that an index of a billion costs one entry. */
class ToolCalls {
  readonly #calls = new Map<number, ToolCall>()
  #last = 0

  get any(): boolean {
    return this.#calls.size > 0
  }

  take(pieces: readonly unknown[]): void {
    for (const piece of pieces) if (isJsonObject(piece)) this.#callOf(piece).take(piece)
  }

  finish(): readonly JsonObject[] {
    return [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call.finish())
  }

  #callOf(piece: JsonObject): ToolCall {
    const { index, id } = piece
    // Some servers send no index: a piece with an id begins a call, one without continues the last.
    const isFirst = typeof id === 'string' && id !== ''
    if (typeof index === 'number') this.#last = index
    else if (isFirst && this.#calls.size > 0) this.#last += 1
    let call = this.#calls.get(this.#last)
    if (call === undefined) {
      call = new ToolCall()
      this.#calls.set(this.#last, call)
    }
    return call
  }
}

const NOT_OF_THE_CALL = new Set(['index', 'function', 'custom'])

class ToolCall {
  readonly #fields = new GrowingObject()
  #function: GrowingObject | undefined
  #custom: GrowingObject | undefined

  take(piece: JsonObject): void {
    this.#fields.fill(piece, NOT_OF_THE_CALL)
    if (isJsonObject(piece.function)) {
      this.#function ??= new GrowingObject()
      takeCall(this.#function, piece.function, 'arguments')
    }
    if (isJsonObject(piece.custom)) {
      this.#custom ??= new GrowingObject()
      takeCall(this.#custom, piece.custom, 'input')
    }
  }

  finish(): JsonObject {
    if (this.#function !== undefined) this.#fields.set('function', this.#function.toObject())
    if (this.#custom !== undefined) this.#fields.set('custom', this.#custom.toObject())
    return this.#fields.toObject()
  }
}

function takeCall(call: GrowingObject, piece: JsonObject, text: 'arguments' | 'input'): void {
  for (const [key, value] of Object.entries(piece)) {
    if (key === text && typeof value === 'string') call.append(key, value)
    else call.offer(key, value)
  }
}
