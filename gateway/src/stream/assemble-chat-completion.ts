import { type TokenUsage, usageOf } from '@llm-gateway/protocol'
import type { AssembledMessage, Assembly } from './assembly.ts'
import { GrowingMessage } from './chat-message.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { type JsonParts, jsonList } from './json-parts.ts'
import { CONTAINER_ENTRIES, type MessageSize } from './message-size.ts'

const CHUNK_ONLY_FIELDS = new Set(['choices', 'object', 'obfuscation'])
const CHOICE_OWN_FIELDS = new Set(['delta', 'index', 'finish_reason', 'logprobs'])

/**
 * Assembles the chunks of a streamed chat completion to the `chat.completion` that the same call gives unstreamed.
 * Fields that no chunk has are left out, except `content`, `refusal`, `logprobs` and `finish_reason`, which are null,
 * as in the API and its SDKs.
 */
export class ChatCompletionAssembly implements Assembly {
  readonly #messageSize: MessageSize
  readonly #rest: GrowingObject
  readonly #choices = new Map<number, Choice>()
  #usage: TokenUsage | undefined
  #isChat = false

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
    this.#rest = new GrowingObject(messageSize)
  }

  get isRecognized(): boolean {
    return this.#isChat
  }

  /** The end is marked by `[DONE]`, which isn't JSON and doesn't reach the assembly. */
  get hasEnded(): boolean {
    return false
  }

  take(chunk: JsonObject): boolean {
    const { choices, error } = chunk
    if (!Array.isArray(choices) && !(this.#isChat && isJsonObject(error))) return false
    if (chunk.object === 'chat.completion.chunk') this.#isChat = true
    if (isJsonObject(chunk.usage)) this.#usage = usageOf(chunk)
    this.#rest.fill(chunk, CHUNK_ONLY_FIELDS)
    for (const choice of Array.isArray(choices) ? choices : []) if (isJsonObject(choice)) this.#takeChoice(choice)
    return true
  }

  /**
   * Returns undefined when no chunk was recognized as a part of a chat completion: a legacy text completion has
   * `choices` too.
   */
  finish(): AssembledMessage | undefined {
    if (!this.#isChat) return undefined
    const choices = [...this.#choices].sort(([a], [b]) => a - b).map(([, choice]) => choice.finish())
    this.#rest.set('object', 'chat.completion')
    this.#rest.setParts('choices', jsonList(choices))
    return { json: this.#rest.toJson(), usage: this.#usage }
  }

  #takeChoice(chunk: JsonObject): void {
    if (isJsonObject(chunk.delta)) this.#isChat = true
    const index = typeof chunk.index === 'number' ? chunk.index : 0
    let choice = this.#choices.get(index)
    if (choice === undefined) {
      choice = new Choice(index, this.#messageSize)
      this.#messageSize.addEntries(CONTAINER_ENTRIES)
      this.#choices.set(index, choice)
    }
    choice.take(chunk)
  }
}

class Choice {
  readonly #messageSize: MessageSize
  readonly #fields: GrowingObject
  readonly #message: GrowingMessage
  #logprobs: GrowingObject | undefined

  constructor(index: number, messageSize: MessageSize) {
    this.#messageSize = messageSize
    this.#fields = new GrowingObject(messageSize)
    this.#message = new GrowingMessage(messageSize)
    this.#fields.set('index', index)
    this.#fields.set('finish_reason', null)
  }

  take(chunk: JsonObject): void {
    this.#fields.fill(chunk, CHOICE_OWN_FIELDS)
    if (typeof chunk.finish_reason === 'string') this.#fields.set('finish_reason', chunk.finish_reason)
    if (isJsonObject(chunk.logprobs)) this.#takeLogprobs(chunk.logprobs)
    if (isJsonObject(chunk.delta)) this.#message.take(chunk.delta)
  }

  finish(): JsonParts {
    this.#fields.setParts('message', this.#message.finish())
    if (this.#logprobs === undefined) this.#fields.set('logprobs', null)
    else this.#fields.setParts('logprobs', this.#logprobs.toJson())
    return this.#fields.toJson()
  }

  #takeLogprobs(logprobs: JsonObject): void {
    this.#logprobs ??= new GrowingObject(this.#messageSize)
    for (const [key, value] of Object.entries(logprobs)) {
      if (Array.isArray(value)) this.#logprobs.push(key, value)
      else if (!this.#logprobs.has(key)) this.#logprobs.set(key, value)
    }
  }
}
