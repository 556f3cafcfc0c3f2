import type { Assembly } from './assembly.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject, parseJson } from './json-object.ts'

/** Events of a streamed Anthropic message -> the `message` the same call answers unstreamed. */
export class AnthropicMessageAssembly implements Assembly {
  readonly #message = new GrowingObject()
  readonly #usage = new GrowingObject()
  readonly #blocks = new Map<number, Block>()
  #isStarted = false

  take(data: JsonObject): boolean {
    if (!this.#isStarted) return this.#start(data)
    switch (data.type) {
      case 'content_block_start':
        if (isJsonObject(data.content_block)) this.#blocks.set(indexOf(data), new Block(data.content_block))
        return true
      case 'content_block_delta':
        if (isJsonObject(data.delta)) this.#blocks.get(indexOf(data))?.take(data.delta)
        return true
      case 'message_delta':
        if (isJsonObject(data.delta)) this.#message.assign(data.delta)
        if (isJsonObject(data.usage)) this.#takeUsage(data.usage)
        return true
      case 'error':
        // The stream ends here: the record says why its message is unfinished.
        this.#message.set('error', data.error)
        return true
      default:
        return true
    }
  }

  finish(): JsonObject | undefined {
    if (!this.#isStarted) return undefined
    const blocks = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block.finish())
    this.#message.push('content', blocks)
    this.#message.set('usage', this.#usage.toObject())
    return this.#message.toObject()
  }

  #start(data: JsonObject): boolean {
    if (data.type !== 'message_start' || !isJsonObject(data.message)) return false
    this.#isStarted = true
    this.#message.assign(data.message)
    if (isJsonObject(data.message.usage)) this.#usage.assign(data.message.usage)
    return true
  }

  /** The counters are totals of the whole message, and those that don't apply are absent or null: they replace, never add. */
  #takeUsage(usage: JsonObject): void {
    for (const [key, value] of Object.entries(usage)) {
      if (value !== null || !this.#usage.has(key)) this.#usage.set(key, value)
    }
  }
}

/** Delta type -> the field of the delta that holds a piece of text, and the block's field that it belongs to. */
const TEXT_DELTAS: ReadonlyMap<unknown, readonly [from: string, to: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['compaction_delta', ['content', 'content']],
])

class Block {
  readonly #fields = new GrowingObject()
  readonly #inputJson: string[] = []

  constructor(start: JsonObject) {
    this.#fields.assign(start)
  }

  take(delta: JsonObject): void {
    const { type, partial_json: json, signature, citation } = delta
    const text = TEXT_DELTAS.get(type)
    const piece = text === undefined ? undefined : delta[text[0]]
    if (text !== undefined && typeof piece === 'string') this.#fields.append(text[1], piece)
    else if (type === 'input_json_delta' && typeof json === 'string') this.#inputJson.push(json)
    else if (type === 'signature_delta') this.#fields.set('signature', signature)
    else if (type === 'citations_delta') this.#fields.push('citations', [citation])
  }

  finish(): JsonObject {
    const json = this.#inputJson.join('')
    // A tool without arguments sends no JSON: the `{}` it began with stays. One that was cut off stays a text.
    if (json === '') return this.#fields.toObject()
    const parsed = parseJson(json)
    this.#fields.set('input', parsed.kind === 'value' ? parsed.value : json)
    return this.#fields.toObject()
  }
}

function indexOf(data: JsonObject): number {
  return typeof data.index === 'number' ? data.index : 0
}
