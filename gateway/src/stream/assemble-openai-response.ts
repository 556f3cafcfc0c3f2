import { type TokenUsage, usageOf } from '@llm-gateway/protocol'
import type { AssembledMessage, Assembly } from './assembly.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import type { MessageSize } from './message-size.ts'
import { OutputItems } from './response-output.ts'

const FINAL_EVENTS = new Set<unknown>([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
])

/**
 * Assembles the events of a streamed OpenAI response to the `response` that the same call gives unstreamed.
 * The last event contains the whole response. For a stream that broke off earlier, `output` is built from the items so
 * far.
 */
export class OpenaiResponseAssembly implements Assembly {
  readonly #response: GrowingObject
  readonly #items: OutputItems
  /** Holds the error of the last `error` event. */
  readonly #error: GrowingObject
  #usage: TokenUsage | undefined
  #hasBegun = false
  #isFinal = false

  constructor(messageSize: MessageSize) {
    this.#response = new GrowingObject(messageSize)
    this.#items = new OutputItems(messageSize)
    this.#error = new GrowingObject(messageSize)
  }

  get isRecognized(): boolean {
    return this.#hasBegun || this.#items.hasItems
  }

  get hasEnded(): boolean {
    return this.#isFinal
  }

  take(data: JsonObject): boolean {
    const { type, response } = data
    if (type === 'error' && this.#hasBegun) {
      this.#takeError(data)
      return true
    }
    if (typeof type !== 'string' || !type.startsWith('response.')) return false
    // Events after the last whole response are ignored.
    if (this.#isFinal) return true
    if (!isJsonObject(response)) return this.#items.take(type, data)
    this.#hasBegun = true
    this.#isFinal = FINAL_EVENTS.has(type)
    this.#usage = usageOf(response)
    this.#response.clear()
    this.#response.assign(response)
    return true
  }

  finish(): AssembledMessage | undefined {
    if (!this.isRecognized) return undefined
    const response = this.#response
    if (!this.#hasBegun) response.set('object', 'response')
    // Some compatible servers leave `output` out of the last event; it is then built from the items too.
    if (!this.#isFinal || !response.hasList('output')) response.setParts('output', this.#items.finish())
    if (this.#error.has('error')) response.setParts('error', this.#error.partsOf('error'))
    return { json: response.toJson(), usage: this.#usage }
  }

  #takeError({ type: _type, sequence_number: _number, ...error }: JsonObject): void {
    if (isJsonObject(error.error)) this.#error.set('error', error.error)
    else if (Object.keys(error).length > 0) this.#error.set('error', error)
  }
}
