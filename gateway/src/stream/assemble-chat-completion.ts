import type { Assembly } from './assembly.ts'
import { GrowingMessage } from './chat-message.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'

const NOT_OF_THE_COMPLETION = new Set(['choices', 'object', 'obfuscation'])
const NOT_OF_THE_CHOICE = new Set(['delta', 'index', 'finish_reason', 'logprobs'])

/**
 * Chunks of a streamed chat completion -> the `chat.completion` the same call answers unstreamed.
 *
 * What the chunks lack stays away, but for `content`, `refusal`, `logprobs` and `finish_reason`, which are null (as the API and its SDKs have it).
 */
export class ChatCompletionAssembly implements Assembly {
  readonly #rest = new GrowingObject()
  readonly #choices = new Map<number, Choice>()
  #isChat = false

  take(chunk: JsonObject): boolean {
    const { choices, error } = chunk
    if (!Array.isArray(choices) && !(this.#isChat && isJsonObject(error))) return false
    if (chunk.object === 'chat.completion.chunk') this.#isChat = true
    this.#rest.fill(chunk, NOT_OF_THE_COMPLETION)
    for (const choice of Array.isArray(choices) ? choices : []) if (isJsonObject(choice)) this.#takeChoice(choice)
    return true
  }

  /** Undefined when no chunk said or showed that it is one of a chat completion (a legacy text completion has `choices` too). */
  finish(): JsonObject | undefined {
    if (!this.#isChat) return undefined
    const choices = [...this.#choices].sort(([a], [b]) => a - b).map(([, choice]) => choice.finish())
    this.#rest.set('object', 'chat.completion')
    this.#rest.set('choices', choices)
    return this.#rest.toObject()
  }

  #takeChoice(chunk: JsonObject): void {
    if (isJsonObject(chunk.delta)) this.#isChat = true
    const index = typeof chunk.index === 'number' ? chunk.index : 0
    let choice = this.#choices.get(index)
    if (choice === undefined) {
      choice = new Choice(index)
      this.#choices.set(index, choice)
    }
    choice.take(chunk)
  }
}

class Choice {
  readonly #fields = new GrowingObject()
  readonly #message = new GrowingMessage()
  readonly #logprobs = new GrowingObject()
  #hasLogprobs = false

  constructor(index: number) {
    this.#fields.set('index', index)
    this.#fields.set('finish_reason', null)
  }

  take(chunk: JsonObject): void {
    this.#fields.fill(chunk, NOT_OF_THE_CHOICE)
    if (typeof chunk.finish_reason === 'string') this.#fields.set('finish_reason', chunk.finish_reason)
    if (isJsonObject(chunk.logprobs)) this.#takeLogprobs(chunk.logprobs)
    if (isJsonObject(chunk.delta)) this.#message.take(chunk.delta)
  }

  finish(): JsonObject {
    this.#fields.set('message', this.#message.finish())
    this.#fields.set('logprobs', this.#hasLogprobs ? this.#logprobs.toObject() : null)
    return this.#fields.toObject()
  }

  #takeLogprobs(logprobs: JsonObject): void {
    this.#hasLogprobs = true
    for (const [key, value] of Object.entries(logprobs)) {
      if (Array.isArray(value)) this.#logprobs.push(key, value)
      else if (!this.#logprobs.has(key)) this.#logprobs.set(key, value)
    }
  }
}
