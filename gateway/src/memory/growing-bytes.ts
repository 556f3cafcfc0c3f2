import { freeBytes } from './leased-memory.ts'

/** A body of at most this declared length gets its memory at once: until bytes are written it takes addresses only. */
const AT_ONCE_BYTES = 1024 * 1024
const FIRST_BYTES = 4 * 1024
/** Growing copies what is there; larger steps copy less often. */
const GROWTH = 2

/**
 * Bytes that come in pieces, put together as they come: a piece is copied while it is in the processor's cache, its memory
 * serves the next one, and a piece of one byte costs one byte. Pieces are its own from when it gets them.
 */
export class GrowingBytes {
  readonly #declared: number | undefined
  #whole: Buffer | undefined
  #length = 0

  /** `declared`: the length, where it is known; HTTP's parser lets no more through. */
  constructor(declared?: number) {
    this.#declared = declared
  }

  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    const start = this.#length
    this.#length += piece.length
    if (start === 0 && piece.length === this.#declared) {
      this.#whole = piece
      return
    }
    this.#room().set(piece, start)
    freeBytes(piece)
  }

  /** The last `length` bytes so far. */
  end(length: number): Buffer {
    return this.#whole?.subarray(this.#length - length, this.#length) ?? Buffer.alloc(0)
  }

  /** All bytes so far, in one buffer. */
  join(): Buffer {
    const whole = this.#whole ?? Buffer.alloc(0)
    const { buffer } = whole
    const isTight = whole.length - this.#length <= whole.length / 8
    if (whole.length === this.#length) return whole
    if (isTight || !(buffer instanceof ArrayBuffer)) return whole.subarray(0, this.#length)
    // Much more was asked for: the bytes get a memory of their size.
    const exact = Buffer.from(buffer.transfer(this.#length))
    this.#whole = exact
    return exact
  }

  /** Nobody will ask for them. */
  drop(): void {
    if (this.#whole !== undefined) freeBytes(this.#whole)
    this.#whole = undefined
    this.#length = 0
  }

  #room(): Buffer {
    const before = this.#whole
    if (before !== undefined && before.length >= this.#length) return before
    const whole = Buffer.allocUnsafeSlow(this.#capacity(before?.length ?? 0))
    if (before !== undefined) {
      whole.set(before)
      freeBytes(before)
    }
    this.#whole = whole
    return whole
  }

  #capacity(before: number): number {
    const declared = this.#declared
    if (declared !== undefined && declared <= AT_ONCE_BYTES) return Math.max(declared, this.#length)
    const grown = Math.max(before * GROWTH, FIRST_BYTES, declared === undefined ? 0 : AT_ONCE_BYTES, this.#length)
    return declared === undefined ? grown : Math.max(Math.min(grown, declared), this.#length)
  }
}
