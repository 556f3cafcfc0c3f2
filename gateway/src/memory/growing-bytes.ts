import { freeBytes } from './leased-memory.ts'

/** A body up to this declared length gets its memory at once; unwritten memory takes only address space. */
const AT_ONCE_BYTES = 1024 * 1024
const FIRST_BYTES = 4 * 1024
/** Growing copies the existing bytes, so that larger steps copy less often. */
const GROWTH = 2

/**
 * Collects bytes that arrive in pieces. Each piece is copied while it is in the CPU's cache, its memory is freed for the
 * next piece, and a piece of one byte takes one byte. `add` takes ownership of the piece.
 */
export class GrowingBytes {
  readonly #declared: number | undefined
  #whole: Buffer | undefined
  #length = 0

  /** `declared` is the known length; the HTTP parser lets no more bytes through. */
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
    this.#reserve().set(piece, start)
    freeBytes(piece)
  }

  /** Returns the last `length` bytes so far. */
  tail(length: number): Buffer {
    return this.#whole?.subarray(this.#length - length, this.#length) ?? Buffer.alloc(0)
  }

  /** Returns all bytes so far in one buffer. */
  join(): Buffer {
    const whole = this.#whole ?? Buffer.alloc(0)
    const { buffer } = whole
    const isTight = whole.length - this.#length <= whole.length / 8
    if (whole.length === this.#length) return whole
    if (isTight || !(buffer instanceof ArrayBuffer)) return whole.subarray(0, this.#length)
    // The memory is much larger than the bytes, so the bytes move to memory of their size.
    const exact = Buffer.from(buffer.transfer(this.#length))
    this.#whole = exact
    return exact
  }

  /** Frees the bytes. */
  drop(): void {
    if (this.#whole !== undefined) freeBytes(this.#whole)
    this.#whole = undefined
    this.#length = 0
  }

  #reserve(): Buffer {
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
