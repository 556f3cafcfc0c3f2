import { usageOf } from '@llm-gateway/protocol'
import type { JsonEngine } from '../json/json-scan.ts'
import type { AssembledMessage, Assembly } from './assembly.ts'
import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { MessageBlock } from './message-block.ts'
import { CONTAINER_ENTRIES, type MessageSize } from './message-size.ts'

/**
 * The most bytes of tool inputs that are read as JSON, which takes up to 7 ns for each: all blocks of a message may end in
 * one chunk, or with the stream, since some servers announce no end of a block. Further inputs stay texts. The same chunk
 * may end the message's largest event, which counts, too, from `LARGE_EVENT_BYTES` on: V8 takes as long for each byte.
 */
const MAX_INPUTS_BYTES = 4 * 1024 * 1024
const LARGE_EVENT_BYTES = 1024 * 1024

/** Assembles the events of a streamed Anthropic message to the `message` that the same call gives unstreamed. */
export class AnthropicMessageAssembly implements Assembly {
  readonly #messageSize: MessageSize
  readonly #message: GrowingObject
  readonly #usage: GrowingObject
  readonly #blocks = new Map<number, MessageBlock>()
  readonly #json: JsonEngine
  readonly #largestEvent: () => number
  #inputBytes = 0
  #isStarted = false
  #isStopped = false

  /** `largestEvent` returns the bytes of the largest event so far. */
  constructor(messageSize: MessageSize, json: JsonEngine, largestEvent: () => number) {
    this.#messageSize = messageSize
    this.#json = json
    this.#largestEvent = largestEvent
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
        this.#stop(this.#blocks.get(indexOf(data)))
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
    const blocks = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block)
    for (const block of blocks) this.#stop(block)
    this.#message.pushParts(
      'content',
      blocks.map((block) => block.toJson()),
    )
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
    this.#blocks.set(index, new MessageBlock(start, this.#messageSize, this.#json))
  }

  #stop(block: MessageBlock | undefined): void {
    this.#inputBytes += block?.openInputBytes ?? 0
    const largest = this.#largestEvent()
    const eventBytes = largest > LARGE_EVENT_BYTES ? largest : 0
    block?.stop(eventBytes + this.#inputBytes <= MAX_INPUTS_BYTES)
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
