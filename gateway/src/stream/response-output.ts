import { GrowingObject } from './growing-object.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { type JsonParts, jsonList } from './json-parts.ts'
import { CONTAINER_ENTRIES, type MessageSize } from './message-size.ts'

type TextEvent = {
  readonly field: string
  readonly part?: { readonly list: 'content' | 'summary'; readonly type: string }
}

/** Event name without `.delta` or `.done` -> the field of its text, in a part of the item or in the item itself. */
const TEXT_EVENTS: ReadonlyMap<string, TextEvent> = new Map<string, TextEvent>([
  ['response.output_text', { field: 'text', part: { list: 'content', type: 'output_text' } }],
  ['response.refusal', { field: 'refusal', part: { list: 'content', type: 'refusal' } }],
  ['response.reasoning_text', { field: 'text', part: { list: 'content', type: 'reasoning_text' } }],
  ['response.reasoning_summary_text', { field: 'text', part: { list: 'summary', type: 'summary_text' } }],
  ['response.function_call_arguments', { field: 'arguments' }],
  ['response.mcp_call_arguments', { field: 'arguments' }],
  ['response.custom_tool_call_input', { field: 'input' }],
  ['response.code_interpreter_call_code', { field: 'code' }],
])

/** The items of a response's `output`, by their index. */
export class OutputItems {
  readonly #messageSize: MessageSize
  readonly #items = new Map<number, OutputItem>()

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
  }

  get hasItems(): boolean {
    return this.#items.size > 0
  }

  /**
   * Takes an event; returns true for every event of an item, even one without kept data
   * (`response.web_search_call.searching`).
   */
  take(type: string, data: JsonObject): boolean {
    const index = data.output_index
    if (typeof index !== 'number') return false
    let item = this.#items.get(index)
    if (item === undefined) {
      item = new OutputItem(this.#messageSize)
      this.#messageSize.addEntries(CONTAINER_ENTRIES)
      this.#items.set(index, item)
    }
    item.take(type, data)
    return true
  }

  finish(): JsonParts {
    return jsonList([...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item.finish()))
  }
}

class OutputItem {
  readonly #messageSize: MessageSize
  readonly #fields: GrowingObject
  readonly #parts = { content: new Map<number, GrowingObject>(), summary: new Map<number, GrowingObject>() }

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
    this.#fields = new GrowingObject(messageSize)
  }

  take(type: string, data: JsonObject): void {
    const dot = type.lastIndexOf('.')
    const text = TEXT_EVENTS.get(type.slice(0, dot))
    if (text !== undefined) this.#takeText(text, type.slice(dot + 1), data)
    else if (type.startsWith('response.output_item.')) this.#begin(data.item)
    else if (type.startsWith('response.content_part.')) this.#beginPart('content', data)
    else if (type.startsWith('response.reasoning_summary_part.')) this.#beginPart('summary', data)
    else if (type === 'response.output_text.annotation.added') {
      this.#partOf('content', data, 'output_text').push('annotations', [data.annotation])
    }
  }

  finish(): JsonParts {
    for (const list of ['content', 'summary'] as const) {
      const parts = [...this.#parts[list]].sort(([a], [b]) => a - b).map(([, part]) => part.toJson())
      if (parts.length > 0) this.#fields.setParts(list, jsonList(parts))
    }
    return this.#fields.toJson()
  }

  /** Replaces the item: `added` and `done` both contain the whole item. */
  #begin(item: unknown): void {
    if (!isJsonObject(item)) return
    this.#fields.assign(item)
    for (const parts of [this.#parts.content, this.#parts.summary]) {
      for (const part of parts.values()) part.clear()
      this.#messageSize.addEntries(-CONTAINER_ENTRIES * parts.size)
      parts.clear()
    }
  }

  #beginPart(list: 'content' | 'summary', data: JsonObject): void {
    const type = list === 'content' ? 'output_text' : 'summary_text'
    if (isJsonObject(data.part)) this.#partOf(list, data, type).assign(data.part)
  }

  #takeText({ field, part }: TextEvent, step: string, data: JsonObject): void {
    const target = part === undefined ? this.#fields : this.#partOf(part.list, data, part.type)
    const whole = data[field]
    if (step === 'delta' && typeof data.delta === 'string') target.append(field, data.delta)
    else if (step === 'done' && typeof whole === 'string') target.set(field, whole)
  }

  #partOf(list: 'content' | 'summary', data: JsonObject, type: string): GrowingObject {
    const index = data[`${list}_index`]
    const key = typeof index === 'number' ? index : 0
    let part = this.#parts[list].get(key)
    if (part === undefined) {
      part = new GrowingObject(this.#messageSize)
      this.#messageSize.addEntries(CONTAINER_ENTRIES)
      part.set('type', type)
      this.#parts[list].set(key, part)
    }
    return part
  }
}
