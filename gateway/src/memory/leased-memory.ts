/** Smaller bodies are left to the collector: freeing them by hand would save less than it costs. */
const FREED_BYTES = 16 * 1024

/**
 * The memory of a large body, freed when nobody reads it any more. Left to the collector it would be freed only after the
 * whole heap has been marked: bodies live outside the heap and mostly longer than a young collection, and V8 marks
 * everything again for each 64 MiB of them (a third of all CPU at 1 MB, before).
 *
 * Each reader has a lease of its own, which ends once however often it is ended: no reader can end another's. A reader
 * that can't say when it is done forfeits its lease; the memory is the collector's from then on.
 */
export class LeasedMemory {
  readonly #bytes: Buffer
  readonly #leases = new Set<Lease>()

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** undefined where the bytes are left to the collector. */
  static of(bytes: Buffer): LeasedMemory | undefined {
    return isFreed(bytes) ? new LeasedMemory(bytes) : undefined
  }

  /** Taken before the last lease ends: then the memory is gone. */
  lease(): Lease {
    const lease = new Lease((ended) => this.#end(ended))
    this.#leases.add(lease)
    return lease
  }

  /** True where these bytes are this memory's. */
  holds(bytes: Buffer | undefined): boolean {
    return bytes !== undefined && bytes.buffer === this.#bytes.buffer
  }

  #end(lease: Lease): void {
    if (this.#leases.delete(lease) && this.#leases.size === 0) freeBytes(this.#bytes)
  }
}

/** One reader's right to the bytes of a LeasedMemory. */
export class Lease {
  #ended: ((lease: Lease) => void) | undefined

  constructor(ended: (lease: Lease) => void) {
    this.#ended = ended
  }

  /** The reader is done. */
  end(): void {
    const ended = this.#ended
    this.#ended = undefined
    ended?.(this)
  }

  /** Nobody knows whether the reader is done (a broken connection's last write): the memory is never freed by hand. */
  forfeit(): void {
    this.#ended = undefined
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
