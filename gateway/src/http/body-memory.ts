/** The memory of smaller bodies is left to the collector: freeing it by hand would save less than it costs. */
const FREED_BYTES = 16 * 1024

/**
 * The memory of a large body, freed when its last user lets go of it. Left to the collector it would be freed only after
 * the whole heap has been marked: bodies live outside the heap and mostly longer than a young collection, and V8 marks
 * everything again for each 64 MiB of them (a third of all CPU at 1 MB, before).
 *
 * Whoever hands the bytes to something that reads them later holds them first. Who forgets to let go leaves them to the
 * collector. Bytes that are read too late are an empty buffer, never another call's.
 */
export class BodyMemory {
  readonly #bytes: Buffer
  #users = 1

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** undefined where the bytes are left to the collector. */
  static of(bytes: Buffer): BodyMemory | undefined {
    return isFreed(bytes) ? new BodyMemory(bytes) : undefined
  }

  hold(): void {
    this.#users += 1
  }

  letGo(): void {
    this.#users -= 1
    if (this.#users === 0) freeBytes(this.#bytes)
  }

  /** True where these bytes are this memory's. */
  holds(bytes: Buffer | undefined): boolean {
    return bytes !== undefined && bytes.buffer === this.#bytes.buffer
  }
}

/** Frees what nobody reads any more; does nothing where it is small or other buffers lie in the same memory. */
export function freeBytes(bytes: Buffer): void {
  // Moves the memory to a new buffer of no length, which leaves nothing of it.
  if (isFreed(bytes) && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
}

function isFreed({ buffer, length }: Buffer): boolean {
  return length >= FREED_BYTES && length === buffer.byteLength
}
