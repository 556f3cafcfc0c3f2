import { byteLength, type JsonChunk, JsonParts, jsonOf, withoutDelimiters } from './json-parts.ts'
import type { MessageSize } from './message-size.ts'

/**
 * The number of short pieces that become bytes together: V8's chain of so many pieces takes ten times the memory of
 * their characters.
 */
const PIECES = 64
const FIRST_BYTES = 1024
/** Longer pieces are rare and faster to encode with JSON.stringify than to check character by character. */
const SHORT_PIECE = 256

/** JSON text that grows by pieces, in linear time and memory. */
export class GrowingText {
  readonly #messageSize: MessageSize
  #buffer = Buffer.alloc(0)
  #length = 0
  #tail = ''
  #pieces = 0
  #bytes = 0

  constructor(messageSize: MessageSize) {
    this.#messageSize = messageSize
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds a piece; `bytes` is its length in UTF-8 where the caller knows it. */
  add(piece: JsonChunk, bytes = byteLength(piece)): void {
    this.#bytes += bytes
    this.#messageSize.add(bytes)
    if (typeof piece !== 'string') {
      this.#flush()
      this.#makeRoom(bytes)
      piece.copy(this.#buffer, this.#length)
      this.#length += bytes
      return
    }
    this.#tail += piece
    this.#pieces += 1
    this.#messageSize.addPieces(1)
    if (this.#pieces >= PIECES || bytes > FIRST_BYTES) this.#flush()
  }

  /** Adds a piece of text, escaped as between the quotes of a JSON string. */
  addEscaped(piece: string): void {
    const bytes = plainBytes(piece)
    if (bytes === undefined) this.add(withoutDelimiters(jsonOf(piece)))
    else this.add(piece, bytes)
  }

  writeTo(parts: JsonParts): void {
    if (this.#length > 0) parts.add(this.#buffer.subarray(0, this.#length))
    parts.add(this.#tail)
  }

  /** Returns the text as a JSON string. */
  toJson(): JsonParts {
    const parts = new JsonParts().add('"')
    this.writeTo(parts)
    return parts.add('"')
  }

  /** Returns the text as UTF-8, with the escapes of its pieces resolved. */
  toBytes(): Buffer {
    return Buffer.from(String(JSON.parse(this.toJson().toBuffer().toString())))
  }

  /** Removes the text, because it was replaced; the parts that were made of it stay as they are. */
  release(): void {
    this.#messageSize.add(-this.#bytes)
    this.#messageSize.addPieces(-this.#pieces)
    this.#buffer = Buffer.alloc(0)
    this.#length = 0
    this.#tail = ''
    this.#pieces = 0
    this.#bytes = 0
  }

  #flush(): void {
    if (this.#pieces === 0) return
    this.#makeRoom(this.#bytes - this.#length)
    this.#length += this.#buffer.write(this.#tail, this.#length)
    this.#messageSize.addPieces(-this.#pieces)
    this.#tail = ''
    this.#pieces = 0
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes
    if (wanted <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * this.#buffer.length, wanted))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/**
 * Returns the UTF-8 bytes of a short piece that needs no escapes, else undefined. Halves of a surrogate pair may come
 * in two pieces.
 */
function plainBytes(piece: string): number | undefined {
  if (piece.length > SHORT_PIECE) return undefined
  let bytes = piece.length
  for (let i = 0; i < piece.length; i++) {
    const code = piece.charCodeAt(i)
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return undefined
    if (code >= 0x80) bytes += code < 0x800 ? 1 : 2
  }
  return bytes
}
