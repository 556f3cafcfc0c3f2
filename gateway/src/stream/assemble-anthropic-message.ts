import { usageOf } from '@llm-gateway/protocol'
import type { AssembledMessage, Assembly } from './assembly.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { MAX_INPUT_BYTES, MessageBlock } from './message-block.ts'
import { CONTAINER_ENTRIES, type MessageSize } from './message-size.ts'

/** Assembles the events of a streamed Anthropic message to the `message` that the same call gives unstreamed. */
export class AnthropicMessageAssembly implements Assembly {
  readonly #messageSize: MessageSize
  readonly #message: GrowingObject
  readonly #usage: GrowingObject
  readonly #blocks = new Map<number, MessageBlock>()
  #isStarted = false
  #isStopped = false

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
    this.#message = new GrowingObject(messageSize)
    this.#usage = new GrowingObject(messageSize)
  }

  get isRecognized(): boolean {
    return this.#isStarted
  }

  get hasEnded(): boolean {
    return this.#isStopped
  }

  take(data: JsonObject): boolean {
    if (!this.#isStarted) return this.#start(data)
    this.#isStopped = data.type === 'message_stop'
    switch (data.type) {
      case 'content_block_start':
        if (isJsonObject(data.content_block)) this.#begin(indexOf(data), data.content_block)
        return true
      case 'content_block_delta':
        if (isJsonObject(data.delta)) this.#blocks.get(indexOf(data))?.take(data.delta)
        return true
      case 'content_block_stop':
        this.#blocks.get(indexOf(data))?.stop()
        return true
      case 'message_delta':
        if (isJsonObject(data.delta)) this.#message.assign(data.delta)
        if (isJsonObject(data.usage)) this.#takeUsage(data.usage)
        return true
      case 'error':
        // The stream ends here; the record shows the error of the unfinished message.
        this.#message.set('error', data.error)
        return true
      default:
        return true
    }
  }

  finish(): AssembledMessage | undefined {
    if (!this.#isStarted) return undefined
    // Some servers announce no end of a block. The stream's end parses no more than the input of one block.
    let parsedBytes = 0
    const blocks = [...this.#blocks]
      .sort(([a], [b]) => a - b)
      .map(([, block]) => {
        parsedBytes += block.openInputBytes
        return block.finish(parsedBytes <= MAX_INPUT_BYTES)
      })
    this.#message.pushParts('content', blocks)
    this.#message.setParts('usage', this.#usage.toJson())
    return { json: this.#message.toJson(), usage: usageOf({ usage: this.#usage.scalars() }) }
  }

  #start(data: JsonObject): boolean {
    if (data.type !== 'message_start' || !isJsonObject(data.message)) return false
    this.#isStarted = true
    this.#message.assign(data.message)
    if (isJsonObject(data.message.usage)) this.#usage.assign(data.message.usage)
    return true
  }

  #begin(index: number, start: JsonObject): void {
    const before = this.#blocks.get(index)
    if (before === undefined) this.#messageSize.addEntries(CONTAINER_ENTRIES)
    else before.clear()
    this.#blocks.set(index, new MessageBlock(start, this.#messageSize))
  }

  /**
   * Takes usage counters. They are totals of the whole message and replace earlier counters; null replaces no counter.
   */
  #takeUsage(usage: JsonObject): void {
    for (const [key, value] of Object.entries(usage)) {
      if (value !== null || !this.#usage.has(key)) this.#usage.set(key, value)
    }
  }
}

function indexOf(data: JsonObject): number {
  return typeof data.index === 'number' ? data.index : 0
}
