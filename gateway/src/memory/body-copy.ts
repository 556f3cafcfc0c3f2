import { GrowingBytes } from './growing-bytes.ts'
import type { CallMemory } from './memory-account.ts'
import { withoutRest } from './without-rest.ts'

/** The bytes that a record shows of a body that isn't kept whole. */
const HEAD_BYTES = 4 * 1024
/** Smaller pieces share a page: a piece of one byte in its own buffer would take three hundred. */
const SMALL_BYTES = 2 * 1024
const PAGE_BYTES = 16 * 1024
const FEW_PIECES = 8
/**
 * The pieces of a longer body are joined as they arrive: to join 64 MiB at the end takes 50 ms. No record shows such a
 * body whole, so that none has to copy it out of its larger memory.
 */
const LONG_BYTES = 32 * 1024 * 1024

/**
 * A copy of an answer's body for the record. The copy is whole within its limit and the account's room; beyond, only
 * the body's beginning is kept. Its bytes are counted in the call's memory.
 */
export class BodyCopy {
  readonly #limitBytes: number
  readonly #memory: CallMemory
  #chunks: Buffer[] = []
  /** The bytes of a long body, in place of its pieces. */
  #long: GrowingBytes | undefined
  #bytes = 0
  #totalBytes = 0
  #isCut = false
  #page: Buffer | undefined
  #pageStart = 0
  #pageUsed = 0

  constructor(limitBytes: number, memory: CallMemory) {
    this.#limitBytes = limitBytes
    this.#memory = memory
  }

  /** The kept bytes. A reader gets those of a long body once all are here, since they would move. */
  get chunks(): readonly Buffer[] {
    if (this.#long !== undefined) this.join()
    return this.#chunks
  }

  /** The bytes that were added, kept or not. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  /** True where only the beginning is kept. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Returns true where `bytes` more can be kept, or where they exceed the limit and need no room. */
  hasRoom(bytes: number): boolean {
    return this.#isCut || this.#totalBytes + bytes > this.#limitBytes || this.#memory.hasRoom(bytes)
  }

  add(chunk: Buffer): void {
    this.#totalBytes += chunk.length
    if (!this.#isCut && (this.#totalBytes > this.#limitBytes || !this.#memory.take(chunk.length))) this.cut()
    if (this.#isCut) this.#addToHead(chunk)
    else this.#addWhole(chunk)
  }

  /** Drops all but the body's beginning. */
  cut(): void {
    if (this.#isCut) return
    this.#isCut = true
    const kept = this.#long === undefined ? this.#chunks : [this.#long.tail(this.#bytes)]
    const head = Buffer.concat(kept, Math.min(HEAD_BYTES, this.#bytes))
    this.#endPage()
    this.#memory.release(this.#bytes - head.length)
    this.#long = undefined
    this.#chunks = [head]
    this.#bytes = head.length
  }

  /** Joins the kept bytes to one buffer. */
  join(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#chunks
    if (this.#long === undefined && more.length === 0) return first
    // A long body keeps its larger memory, whose rest takes only address space.
    const whole = this.#long?.tail(this.#bytes) ?? Buffer.concat(this.#chunks, this.#bytes)
    this.#endPage()
    this.#long = undefined
    this.#chunks = [whole]
    return whole
  }

  #addWhole(chunk: Buffer): void {
    this.#bytes += chunk.length
    // Most answers come in a few pieces, which are kept without copying.
    if (this.#bytes >= LONG_BYTES) this.#addLong(chunk)
    else if (chunk.length < SMALL_BYTES && this.#chunks.length >= FEW_PIECES) {
      this.#addSmall(chunk)
    } else {
      this.#endPage()
      this.#chunks.push(withoutRest(chunk))
    }
  }

  #addLong(chunk: Buffer): void {
    if (this.#long === undefined) {
      this.#long = new GrowingBytes(undefined, this.#limitBytes)
      this.#long.grow(2 * this.#bytes)
      for (const before of this.#chunks) this.#long.copy(before)
      this.#endPage()
      this.#chunks = []
    }
    this.#long.copy(chunk)
  }

  #addToHead(chunk: Buffer): void {
    const missing = HEAD_BYTES - this.#bytes
    if (missing <= 0) return
    const piece = Buffer.from(chunk.subarray(0, missing))
    this.#memory.add(piece.length)
    this.#chunks = [Buffer.concat([...this.#chunks, piece])]
    this.#bytes += piece.length
  }

  #addSmall(chunk: Buffer): void {
    let page = this.#page
    if (page === undefined || page.length - this.#pageUsed < chunk.length) {
      page = Buffer.allocUnsafeSlow(PAGE_BYTES)
      this.#page = page
      this.#pageStart = 0
      this.#pageUsed = 0
    }
    const goesOn = this.#pageUsed > this.#pageStart
    page.set(chunk, this.#pageUsed)
    this.#pageUsed += chunk.length
    const view = page.subarray(this.#pageStart, this.#pageUsed)
    if (goesOn) this.#chunks[this.#chunks.length - 1] = view
    else this.#chunks.push(view)
  }

  /** Ends the current view, because the next piece isn't adjacent to it in the page. */
  #endPage(): void {
    this.#pageStart = this.#pageUsed
  }
}
