import type { JsonObject } from './json-object.ts'

type Slot =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'text'; readonly pieces: string[] }
  | { readonly kind: 'list'; readonly items: unknown[] }

/**
 * An object that is put together from many small pieces, in time and memory linear to them.
 *
 * Its keys come from outside: they live in a Map until `toObject` defines them as own properties, so no key reaches a prototype.
 */
export class GrowingObject {
  readonly #slots = new Map<string, Slot>()

  set(key: string, value: unknown): void {
    this.#slots.set(key, { kind: 'value', value })
  }

  /** Sets a key, but an empty value (null, '', 0) never replaces one that is there. */
  offer(key: string, value: unknown): void {
    const slot = this.#slots.get(key)
    // Most chunks repeat what the first one said (id, model): nothing to write then.
    if (slot?.kind === 'value' && slot.value === value) return
    if (slot === undefined || !isEmpty(value)) this.set(key, value)
  }

  /** Offers each key of `source` that isn't in `except`. */
  fill(source: JsonObject, except?: ReadonlySet<string>): void {
    for (const key of Object.keys(source)) if (except?.has(key) !== true) this.offer(key, source[key])
  }

  /** Sets each key of `source`, empty values included. */
  assign(source: JsonObject): void {
    for (const [key, value] of Object.entries(source)) this.set(key, value)
  }

  /** Adds to the text of a key; one that holds something else than text is begun anew. */
  append(key: string, piece: string): void {
    const slot = this.#slots.get(key)
    if (slot?.kind === 'text') slot.pieces.push(piece)
    else {
      const pieces = slot?.kind === 'value' && typeof slot.value === 'string' ? [slot.value, piece] : [piece]
      this.#slots.set(key, { kind: 'text', pieces })
    }
  }

  /** Adds to the list of a key; one that holds something else than a list is begun anew. */
  push(key: string, items: readonly unknown[]): void {
    const slot = this.#slots.get(key)
    const list = slot?.kind === 'list' ? slot.items : startOfList(slot)
    // One by one: `push(...items)` overflows the stack where a stream sends an array of 200,000 items.
    for (const item of items) list.push(item)
    if (slot?.kind !== 'list') this.#slots.set(key, { kind: 'list', items: list })
  }

  has(key: string): boolean {
    return this.#slots.has(key)
  }

  get(key: string): unknown {
    const slot = this.#slots.get(key)
    return slot === undefined ? undefined : contentOf(slot)
  }

  toObject(): JsonObject {
    return Object.fromEntries([...this.#slots].map(([key, slot]) => [key, contentOf(slot)]))
  }
}

function startOfList(slot: Slot | undefined): unknown[] {
  return slot?.kind === 'value' && Array.isArray(slot.value) ? [...slot.value] : []
}

function contentOf(slot: Slot): unknown {
  switch (slot.kind) {
    case 'value':
      return slot.value
    case 'text':
      return slot.pieces.join('')
    case 'list':
      return slot.items
    default:
      return slot satisfies never
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === 0
}
