import { GrowingList } from './growing-list.ts'
import { GrowingText } from './growing-text.ts'
import type { JsonObject } from './json-object.ts'
import { byteLength, type JsonChunk, JsonParts, jsonList, jsonOf, startsWith, withoutDelimiters } from './json-parts.ts'
import type { MessageSize } from './message-size.ts'

type Scalar = string | number | boolean | null
type Slot =
  | { readonly kind: 'scalar'; readonly value: Scalar; readonly bytes: number }
  | { readonly kind: 'json'; readonly json: JsonChunk; readonly bytes: number }
  | { readonly kind: 'text'; readonly text: GrowingText }
  | { readonly kind: 'list'; readonly list: GrowingList }
  | { readonly kind: 'parts'; readonly parts: JsonParts }

/** Longer strings are kept as JSON, since encoding all of them at the end would take too long. */
const LONGEST_SCALAR = 256
/** The most bytes of a number, true, false or null as JSON. */
const SCALAR_BYTES = 25

/**
 * A JSON object that grows by small pieces in linear time and memory. Objects and lists become JSON text at once: such
 * text is compact, its size is known, and the whole message is joined only at the end.
 * Keys come from outside; they are kept in a Map, so that no key reaches a prototype.
 */
export class GrowingObject {
  readonly #slots = new Map<string, Slot>()
  readonly #messageSize: MessageSize
  #keyBytes = 0

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
  }

  set(key: string, value: unknown): void {
    if (value === undefined) this.#delete(key)
    else this.#put(key, slotOf(value))
  }

  /** Sets a key to a JSON text. */
  setJson(key: string, json: JsonChunk): void {
    this.#put(key, { kind: 'json', json, bytes: byteLength(json) })
  }

  /** Sets a key to parts that were assembled and counted elsewhere. */
  setParts(key: string, parts: JsonParts): void {
    this.#put(key, { kind: 'parts', parts })
  }

  /** Sets a key, unless an empty value (null, '', 0) would replace an existing value. */
  offer(key: string, value: unknown): void {
    const slot = this.#slots.get(key)
    // Most chunks repeat values of the first chunk, such as id and model.
    if (slot?.kind === 'scalar' && slot.value === value) return
    if (slot === undefined || !isEmpty(value)) this.set(key, value)
  }

  /** Offers each key of `source` that isn't in `except`. */
  fill(source: JsonObject, except?: ReadonlySet<string>): void {
    for (const key of Object.keys(source)) if (except?.has(key) !== true) this.offer(key, source[key])
  }

  /** Sets each key of `source`, to empty values too. */
  assign(source: JsonObject): void {
    for (const key of Object.keys(source)) this.set(key, source[key])
  }

  /** Appends to the text of a key, or to its list as a text part; a value of another type is replaced. */
  append(key: string, piece: string): void {
    const slot = this.#slots.get(key)
    if (slot?.kind === 'text') {
      slot.text.addEscaped(piece)
      return
    }
    if (slot?.kind === 'list' && !slot.list.isEmpty) {
      slot.list.append(piece)
      return
    }
    const text = new GrowingText(this.#messageSize)
    if (slot?.kind === 'scalar' && typeof slot.value === 'string') text.addEscaped(slot.value)
    if (slot?.kind === 'json' && startsWith(slot.json, '"')) text.add(withoutDelimiters(slot.json))
    text.addEscaped(piece)
    this.#put(key, { kind: 'text', text })
  }

  /** Appends to the list of a key, or behind its text, which becomes a text part; a value of another type is replaced. */
  push(key: string, items: readonly unknown[]): void {
    const slot = this.#slots.get(key)
    if (slot?.kind === 'text' && items.length === 0) return
    const list = slot?.kind === 'list' ? slot.list : this.#startList(slot)
    list.add(withoutDelimiters(jsonOf(items)))
    if (slot?.kind !== 'list') this.#put(key, { kind: 'list', list })
  }

  /** Appends parts that were assembled and counted elsewhere to the list of a key. */
  pushParts(key: string, items: readonly JsonParts[]): void {
    const slot = this.#slots.get(key)
    const hasItems = slot?.kind === 'json' && startsWith(slot.json, '[') && slot.json.length > 2
    const before = hasItems ? [new JsonParts().add(withoutDelimiters(slot.json))] : []
    this.setParts(key, jsonList([...before, ...items]))
  }

  has(key: string): boolean {
    return this.#slots.has(key)
  }

  /** Returns true where a key was set to a list. */
  hasList(key: string): boolean {
    const slot = this.#slots.get(key)
    return slot?.kind === 'json' && startsWith(slot.json, '[')
  }

  partsOf(key: string): JsonParts {
    const slot = this.#slots.get(key)
    const parts = new JsonParts()
    if (slot !== undefined) writeSlot(slot, parts)
    return parts
  }

  /** Returns the fields whose values are short scalars. */
  scalars(): JsonObject {
    const scalars: [string, Scalar][] = []
    for (const [key, slot] of this.#slots) if (slot.kind === 'scalar') scalars.push([key, slot.value])
    return Object.fromEntries(scalars)
  }

  toJson(): JsonParts {
    const parts = new JsonParts()
    let before = '{'
    for (const [key, slot] of this.#slots) {
      parts.add(before).add(JSON.stringify(key)).add(':')
      writeSlot(slot, parts)
      before = ','
    }
    return parts.add(before === '{' ? '{}' : '}')
  }

  /** Removes all fields, because the object was replaced. */
  clear(): void {
    for (const slot of this.#slots.values()) this.#release(slot)
    this.#messageSize.addEntries(-this.#slots.size)
    this.#addKeys(-this.#keyBytes)
    this.#slots.clear()
  }

  #put(key: string, slot: Slot): void {
    const before = this.#slots.get(key)
    if (before === undefined) {
      this.#messageSize.addEntries(1)
      this.#addKeys(keyBytes(key))
    } else this.#release(before)
    if (slot.kind === 'scalar' || slot.kind === 'json') this.#messageSize.add(slot.bytes)
    this.#slots.set(key, slot)
  }

  #delete(key: string): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    this.#release(slot)
    this.#messageSize.addEntries(-1)
    this.#addKeys(-keyBytes(key))
    this.#slots.delete(key)
  }

  #addKeys(bytes: number): void {
    this.#keyBytes += bytes
    this.#messageSize.addKeys(bytes)
  }

  #release(slot: Slot): void {
    if (slot.kind === 'scalar' || slot.kind === 'json') this.#messageSize.add(-slot.bytes)
    else if (slot.kind === 'text') slot.text.release()
    else if (slot.kind === 'list') slot.list.release()
  }

  #startList(slot: Slot | undefined): GrowingList {
    const list = new GrowingList(this.#messageSize)
    if (slot?.kind === 'json' && startsWith(slot.json, '[')) list.add(withoutDelimiters(slot.json))
    if (slot?.kind === 'text') list.appendText(slot.text)
    return list
  }
}

function slotOf(value: unknown): Slot {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return { kind: 'scalar', value, bytes: SCALAR_BYTES }
  }
  const json = jsonOf(value)
  const bytes = byteLength(json)
  if (typeof value === 'string' && value.length <= LONGEST_SCALAR) return { kind: 'scalar', value, bytes }
  return { kind: 'json', json, bytes }
}

/** Returns the bytes of a key with its quotes, a colon and a comma. */
function keyBytes(key: string): number {
  return byteLength(JSON.stringify(key)) + 2
}

function writeSlot(slot: Slot, parts: JsonParts): void {
  switch (slot.kind) {
    case 'scalar':
      parts.add(JSON.stringify(slot.value))
      return
    case 'json':
      parts.add(slot.json)
      return
    case 'text':
      parts.addAll(slot.text.toJson())
      return
    case 'list':
      slot.list.writeTo(parts)
      return
    case 'parts':
      parts.addAll(slot.parts)
      return
    default:
      slot satisfies never
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === 0
}
