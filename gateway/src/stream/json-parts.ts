/** A JSON text, or a part of one. */
export type JsonChunk = string | Buffer

/** Longer strings are kept as bytes, outside of V8's heap and of a known size. */
const LONGEST_STRING = 16 * 1024

/** A JSON text made of texts, none of which is copied before `toBuffer`. */
export class JsonParts {
  readonly #parts: JsonChunk[] = []
  #tail = ''

  add(text: JsonChunk): this {
    if (typeof text === 'string') {
      this.#tail += text
      if (this.#tail.length > LONGEST_STRING) this.#endTail()
      return this
    }
    this.#endTail()
    this.#parts.push(text)
    return this
  }

  addAll(other: JsonParts): this {
    for (const part of other.#parts) this.add(part)
    return this.add(other.#tail)
  }

  toBuffer(): Buffer {
    if (this.#parts.length === 0) return Buffer.from(this.#tail)
    this.#endTail()
    return Buffer.concat(this.#parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  }

  #endTail(): void {
    if (this.#tail !== '') this.#parts.push(this.#tail)
    this.#tail = ''
  }
}

/** Returns a JSON list of the items. */
export function jsonList(items: readonly JsonParts[]): JsonParts {
  const list = new JsonParts().add('[')
  for (const [index, item] of items.entries()) {
    if (index > 0) list.add(',')
    list.addAll(item)
  }
  return list.add(']')
}

/** Encodes a value from JSON.parse. */
export function jsonOf(value: unknown): JsonChunk {
  const text = JSON.stringify(value)
  return text.length > LONGEST_STRING ? Buffer.from(text) : text
}

/** Returns a JSON text as a string where it is short. */
export function jsonChunk(json: Buffer): JsonChunk {
  return json.length > LONGEST_STRING ? json : json.toString()
}

export function byteLength(text: JsonChunk): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length
}

/** Returns the text without its first and last character, the brackets or quotes. */
export function withoutDelimiters(text: JsonChunk): JsonChunk {
  return typeof text === 'string' ? text.slice(1, -1) : text.subarray(1, -1)
}

/** Returns true where the text begins with the character, which shows the kind of the value. */
export function startsWith(text: JsonChunk, character: '{' | '[' | '"'): boolean {
  return typeof text === 'string' ? text.startsWith(character) : text[0] === character.charCodeAt(0)
}
