import { GrowingText } from './growing-text.ts'
import { type JsonChunk, type JsonParts, withoutDelimiters } from './json-parts.ts'
import type { MessageSize } from './message-size.ts'

const TEXT_PART = '{"type":"text","text":"'
const TEXT_PART_END = '"}'

/**
 * A JSON list that grows by items and by pieces of text, in linear time and memory. Pieces without an item between
 * them are one text part, in the form of the parts in an unstreamed message.
 */
export class GrowingList {
  readonly #json: GrowingText
  #isInText = false

  constructor(messageSize: MessageSize) {
    this.#json = new GrowingText(messageSize)
  }

  get isEmpty(): boolean {
    return this.#json.bytes === 0
  }

  /** Adds items: a JSON list without its brackets. */
  add(items: JsonChunk): void {
    if (items.length === 0) return
    if (this.#isInText) this.#json.add(TEXT_PART_END)
    this.#isInText = false
    if (!this.isEmpty) this.#json.add(',')
    this.#json.add(items)
  }

  append(piece: string): void {
    if (piece === '') return
    this.#beginText()
    this.#json.addEscaped(piece)
  }

  /** Adds a text that has grown by itself so far. */
  appendText(text: GrowingText): void {
    if (text.bytes === 0) return
    this.#beginText()
    this.#json.add(withoutDelimiters(text.toJson().toBuffer()))
  }

  writeTo(parts: JsonParts): void {
    this.#json.writeTo(parts.add('['))
    parts.add(this.#isInText ? `${TEXT_PART_END}]` : ']')
  }

  /** Stops counting the list, because it was replaced. */
  release(): void {
    this.#json.release()
  }

  #beginText(): void {
    if (this.#isInText) return
    if (!this.isEmpty) this.#json.add(',')
    this.#json.add(TEXT_PART)
    this.#isInText = true
  }
}
