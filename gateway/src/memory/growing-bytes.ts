import { freeBytes } from './leased-memory.ts'

/** A body up to this declared length gets its memory at once; unwritten memory takes only address space. */
const AT_ONCE_BYTES = 1024 * 1024
const FIRST_BYTES = 4 * 1024
/** Growing copies the existing bytes, so that larger steps copy less often. */
const GROWTH = 2
/** From this length on a move takes so long that it must have a turn of its own. */
const LONG_MOVE_BYTES = 512 * 1024
/** The most bytes that one reading of a socket brings. */
const READ_BYTES = 64 * 1024

/**
 * Collects bytes that arrive in pieces. Each piece is copied while it is in the CPU's cache, its memory is freed for the
 * next piece, and a piece of one byte takes one byte. `add` takes ownership of the piece.
 */
export class GrowingBytes {
  readonly #declared: number | undefined
  /** The most bytes that may arrive. */
  readonly #most: number
  #whole: Buffer | undefined
  #length = 0

  /**
   * `declared` is the known length; the HTTP parser lets no more bytes through. Without it the reader adds no more bytes
   * than `most`.
   */
  constructor(declared?: number, most = Number.POSITIVE_INFINITY) {
    this.#declared = declared
    this.#most = declared ?? most
  }

  get length(): number {
    return this.#length
  }

  /**
   * True where the bytes of the next reading may need a move of many bytes to larger memory, which takes milliseconds.
   * The reader should call `grow` before it reads on, in a turn that has time for it: a hundred bodies that arrive side by
   * side would move in the same turn.
   */
  get mustGrow(): boolean {
    const held = this.#whole?.length ?? 0
    return this.#length >= LONG_MOVE_BYTES && held - this.#length < READ_BYTES && held < this.#most
  }

  /** The number of bytes that `join` moves. */
  get movedByJoin(): number {
    return isTight(this.#whole, this.#length) ? 0 : this.#length
  }

  add(piece: Buffer): void {
    if (this.#length === 0 && piece.length === this.#declared) {
      this.#whole = piece
      this.#length = piece.length
      return
    }
    this.copy(piece)
    freeBytes(piece)
  }

  /** Adds a piece that others read, too. */
  copy(piece: Buffer): void {
    const start = this.#length
    this.#length += piece.length
    this.#reserve(this.#length).set(piece, start)
  }

  /** Makes room for `length` bytes, by default for the next reading. Returns the number of bytes that moved. */
  grow(length = this.#length + READ_BYTES): number {
    const before = this.#whole
    return this.#reserve(Math.min(length, this.#most)) === before ? 0 : this.#length
  }

  /** Returns the last `length` bytes so far. */
  tail(length: number): Buffer {
    return this.#whole?.subarray(this.#length - length, this.#length) ?? Buffer.alloc(0)
  }

  /** Returns all bytes so far in one buffer. */
  join(): Buffer {
    const whole = this.#whole ?? Buffer.alloc(0)
    const { buffer } = whole
    if (whole.length === this.#length) return whole
    if (isTight(whole, this.#length) || !(buffer instanceof ArrayBuffer)) return whole.subarray(0, this.#length)
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

  /** Returns memory for `length` bytes. */
  #reserve(length: number): Buffer {
    const before = this.#whole
    if (before !== undefined && before.length >= length) return before
    const whole = Buffer.allocUnsafeSlow(this.#capacity(before?.length ?? 0, length))
    if (before !== undefined) {
      whole.set(before)
      freeBytes(before)
    }
    this.#whole = whole
    return whole
  }

  #capacity(before: number, length: number): number {
    const declared = this.#declared
    if (declared !== undefined && declared <= AT_ONCE_BYTES) return Math.max(declared, length)
    const grown = Math.max(before * GROWTH, FIRST_BYTES, declared === undefined ? 0 : AT_ONCE_BYTES)
    return Math.max(Math.min(grown, this.#most), length)
  }
}

/** Returns false where the memory is much larger than its bytes. */
function isTight(whole: Buffer | undefined, length: number): boolean {
  return whole === undefined || whole.length - length <= whole.length / 8
}
