import { isUtf8 } from 'node:buffer'

/** Checks UTF-8 that arrives in chunks, whose ends may split a character. */
export class Utf8Check {
  #valid = true
  /** The first bytes of a character that continues in the next chunk. */
  #torn = Buffer.allocUnsafe(0)
  /** The length of that character in bytes. */
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

  /** True where all bytes are UTF-8; false within an incomplete character. */
  get valid(): boolean {
    return this.#valid && this.#torn.length === 0
  }

  /** True once the bytes can't become UTF-8 any more. */
  get failed(): boolean {
    return !this.#valid
  }

  /** Completes the split character from a chunk's first bytes; returns how many bytes were used. */
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

/** Returns the start of the character that the chunk's end splits; the chunk's length where it splits none. */
function tornFrom(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at >= 0 && at >= chunk.length - 3; at -= 1) {
    const byte = chunk[at] ?? 0
    // A continuation byte: the first byte of the character is before it.
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    return at + lengthOf(byte) > chunk.length ? at : chunk.length
  }
  return chunk.length
}

/** Returns the length of the character that begins with this byte. */
function lengthOf(byte: number): number {
  if (byte < 0b1100_0000) return 1
  if (byte < 0b1110_0000) return 2
  return byte < 0b1111_0000 ? 3 : 4
}
