import { GrowingObject } from './growing-object.ts'
import { GrowingText } from './growing-text.ts'
import { type JsonObject, parseJson, withoutSpaces } from './json-object.ts'
import type { JsonParts } from './json-parts.ts'
import type { MessageSize } from './message-size.ts'

/** Delta type -> the delta's field with a piece of text, and the block's field that the piece is appended to. */
const TEXT_DELTAS: ReadonlyMap<unknown, readonly [from: string, to: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['compaction_delta', ['content', 'content']],
])

/** A larger tool input stays a text, since parsing it would take too long. */
export const MAX_INPUT_BYTES = 1024 * 1024

/** A block of an Anthropic message's content. */
export class MessageBlock {
  readonly #fields: GrowingObject
  /** The JSON of a tool's input, escaped as in a JSON string. */
  readonly #input: GrowingText
  #isStopped = false

  constructor(start: JsonObject, messageSize: MessageSize) {
    this.#fields = new GrowingObject(messageSize)
    this.#input = new GrowingText(messageSize)
    this.#fields.assign(start)
  }

  take(delta: JsonObject): void {
    const { type, partial_json: json, signature, citation } = delta
    const text = TEXT_DELTAS.get(type)
    const piece = text === undefined ? undefined : delta[text[0]]
    if (text !== undefined && typeof piece === 'string') this.#fields.append(text[1], piece)
    else if (type === 'input_json_delta' && typeof json === 'string') this.#takeInput(json)
    else if (type === 'signature_delta') this.#fields.set('signature', signature)
    else if (type === 'citations_delta') this.#fields.push('citations', [citation])
  }

  /** The bytes of input that `stop` would parse. */
  get openInputBytes(): number {
    return this.#isStopped ? 0 : this.#input.bytes
  }

  /** Completes the block; its input is parsed now, so that little work remains at the stream's end. */
  stop(): void {
    this.#end(true)
  }

  /** Returns the block; an input whose end wasn't announced is parsed where `mayParse` is true. */
  finish(mayParse: boolean): JsonParts {
    this.#end(mayParse)
    return this.#fields.toJson()
  }

  /** Removes the content, because the block was replaced. */
  clear(): void {
    this.#fields.clear()
    this.#input.release()
  }

  #end(mayParse: boolean): void {
    if (this.#isStopped) return
    this.#isStopped = true
    // A tool without arguments sends no JSON and keeps its first `{}`; truncated input stays a text.
    if (this.#input.bytes === 0) return
    const input = mayParse && this.#input.bytes <= MAX_INPUT_BYTES ? this.#input.toBytes() : undefined
    if (input === undefined || parseJson(input) === undefined) this.#fields.setParts('input', this.#input.toJson())
    else {
      this.#fields.setJson('input', withoutSpaces(input))
      this.#input.release()
    }
  }

  #takeInput(json: string): void {
    if (!this.#isStopped) this.#input.addEscaped(json)
  }
}
