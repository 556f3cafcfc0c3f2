import type { JsonEngine } from '../json/json-scan.ts'
import { GrowingObject } from './growing-object.ts'
import { GrowingText } from './growing-text.ts'
import type { JsonObject } from './json-object.ts'
import { type JsonParts, jsonChunk } from './json-parts.ts'
import type { MessageSize } from './message-size.ts'

/** Delta type -> the delta's field with a piece of text, and the block's field that the piece is appended to. */
const TEXT_DELTAS: ReadonlyMap<unknown, readonly [from: string, to: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['compaction_delta', ['content', 'content']],
])

/** A larger tool input stays a text, since reading it would take too long. */
const MAX_INPUT_BYTES = 1024 * 1024
/** A tool input that is nested deeper stays a text. */
const DEEPEST_INPUT = 500

/** A block of an Anthropic message's content. */
export class MessageBlock {
  readonly #fields: GrowingObject
  /** The JSON of a tool's input, escaped as in a JSON string. */
  readonly #input: GrowingText
  readonly #json: JsonEngine
  #isStopped = false

  constructor(start: JsonObject, messageSize: MessageSize, json: JsonEngine) {
    this.#fields = new GrowingObject(messageSize)
    this.#input = new GrowingText(messageSize)
    this.#json = json
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

  /** The bytes of input that `stop` would read as JSON. */
  get openInputBytes(): number {
    return this.#isStopped || this.#input.bytes > MAX_INPUT_BYTES ? 0 : this.#input.bytes
  }

  /** Completes the block. Its input becomes JSON where `readsInput` is true, and otherwise stays a text. */
  stop(readsInput: boolean): void {
    if (this.#isStopped) return
    const bytes = readsInput ? this.openInputBytes : 0
    this.#isStopped = true
    // A tool without arguments sends no JSON and keeps its first `{}`.
    if (this.#input.bytes === 0) return
    const input = bytes === 0 ? undefined : this.#compactInput()
    if (input === undefined) this.#fields.setParts('input', this.#input.toJson())
    else {
      this.#fields.setJson('input', jsonChunk(input))
      this.#input.release()
    }
  }

  toJson(): JsonParts {
    return this.#fields.toJson()
  }

  /** Removes the content, because the block was replaced. */
  clear(): void {
    this.#fields.clear()
    this.#input.release()
  }

  /**
   * Returns the input without white space outside its strings; undefined for truncated and deeply nested input. Numbers
   * and the order of keys stay as they are: parsing and encoding the input would round 64-bit ids, and take V8 25 ms for
   * 48,000 keys.
   */
  #compactInput(): Buffer | undefined {
    const bytes = this.#input.toBytes()
    const { kind, spaces } = this.#json.scan(bytes, DEEPEST_INPUT)
    if (kind !== 'json') return undefined
    return spaces === 0 ? bytes : this.#json.compactNow(bytes, spaces)
  }

  #takeInput(json: string): void {
    if (!this.#isStopped) this.#input.addEscaped(json)
  }
}
