import { freeBytes } from './body-memory.ts'

/**
 * A body as it comes. Of a declared length, it is put together piece by piece: each is copied while it is in the processor's
 * cache, and its memory is the next one's. Pieces are its own from when it gets them.
 */
export class BodyPieces {
  readonly #declared: number | undefined
  readonly #pieces: Buffer[] = []
  #whole: Buffer | undefined
  #length = 0

  /** `declared`: its length, where that is known; HTTP's parser lets no more through. */
  constructor(declared: number | undefined) {
    this.#declared = declared
  }

  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    const start = this.#length
    this.#length += piece.length
    if (this.#declared === undefined || piece.length === this.#declared) {
      this.#pieces.push(piece)
    } else {
      // Where nothing was written yet it takes addresses, no memory.
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declared)
      this.#whole.set(piece, start)
      freeBytes(piece)
    }
  }

  /** All of it in one buffer. */
  join(): Buffer {
    const [only = Buffer.alloc(0), ...more] = this.#pieces
    const whole = this.#whole ?? (more.length === 0 ? only : joined(this.#pieces, this.#length))
    return whole.length === this.#length ? whole : whole.subarray(0, this.#length)
  }

  /** Nobody will ask for it. */
  drop(): void {
    if (this.#whole !== undefined) freeBytes(this.#whole)
    for (const piece of this.#pieces) freeBytes(piece)
  }
}

function joined(pieces: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(length)
  let end = 0
  for (const piece of pieces) {
    whole.set(piece, end)
    end += piece.length
    freeBytes(piece)
  }
  return whole
}
