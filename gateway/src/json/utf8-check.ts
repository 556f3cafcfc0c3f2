import { isUtf8 } from 'node:buffer'

/** Judges UTF-8 that comes in chunks: a character may be torn by the end of one. */
export class Utf8Check {
  #valid = true
  /** The beginning of a character whose end has not come yet. */
  #torn = Buffer.allocUnsafe(0)
  /** How many bytes that character has. */
  #length = 0

  add(chunk: Uint8Array): void {
    if (!this.#valid || chunk.length === 0) return
    const start = this.#torn.length === 0 ? 0 : this.#complete(chunk)
    if (!this.#valid || start === chunk.length) return
    const end = tornFrom(chunk)
    if (end > start) this.#valid = isUtf8(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end))
    if (end === chunk.length) return
    this.#length = lengthOf(chunk[end] ?? 0)
    this.#torn = Buffer.from(chunk.subarray(Math.max(start, end)))
  }

  /** Whether everything that came is UTF-8; false while a character is incomplete. */
  get valid(): boolean {
    return this.#valid && this.#torn.length === 0
  }

  /** True once nothing can make it UTF-8 any more. */
  get failed(): boolean {
    return !this.#valid
  }

  /** Takes what the torn character lacks from the beginning of a chunk; says how many bytes those are. */
  #complete(chunk: Uint8Array): number {
    const missing = Math.min(this.#length - this.#torn.length, chunk.length)
    const bytes = Buffer.concat([this.#torn, chunk.subarray(0, missing)])
    if (bytes.length < this.#length) {
      this.#torn = bytes
      return missing
    }
    this.#valid = isUtf8(bytes)
    this.#torn = Buffer.allocUnsafe(0)
    return missing
  }
}

/** Where the character begins that the chunk's end tears; the chunk's length where it tears none. */
function tornFrom(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at >= 0 && at >= chunk.length - 3; at -= 1) {
    const byte = chunk[at] ?? 0
    // A byte that goes on with a character: the first one is before it.
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    return at + lengthOf(byte) > chunk.length ? at : chunk.length
  }
  return chunk.length
}

/** How many bytes the character has that begins with this one. */
function lengthOf(byte: number): number {
  if (byte < 0b1100_0000) return 1
  if (byte < 0b1110_0000) return 2
  return byte < 0b1111_0000 ? 3 : 4
}
