/** Smaller bodies are left to the collector: freeing them by hand costs more than it saves. */
const FREED_BYTES = 16 * 1024

/**
 * The memory of a large body, freed by hand once nothing reads it. The collector would free it only after marking the
 * whole heap: bodies are outside the heap and mostly outlive a young collection, and V8 marks everything again for each
 * 64 MiB of them (measured with bodies of 1 MB: a third of all CPU).
 * Each reader has its own lease, which ends only once, so that no reader can end another's lease. Where the end of a
 * reader is unknown, its lease is forfeited, and the memory is then left to the collector.
 */
export class LeasedMemory {
  readonly #bytes: Buffer
  readonly #leases = new Set<Lease>()

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Returns undefined where the bytes are left to the collector. */
  static of(bytes: Buffer): LeasedMemory | undefined {
    return isFreed(bytes) ? new LeasedMemory(bytes) : undefined
  }

  /** Adds a lease; must be called before the last lease ends and frees the memory. */
  lease(): Lease {
    const lease = new Lease((ended) => this.#end(ended))
    this.#leases.add(lease)
    return lease
  }

  /** Returns true where the bytes are in this memory. */
  holds(bytes: Buffer | undefined): boolean {
    return bytes !== undefined && bytes.buffer === this.#bytes.buffer
  }

  #end(lease: Lease): void {
    if (this.#leases.delete(lease) && this.#leases.size === 0) freeBytes(this.#bytes)
  }
}

/** A reader's right to the bytes of a LeasedMemory. */
export class Lease {
  #ended: ((lease: Lease) => void) | undefined

  constructor(ended: (lease: Lease) => void) {
    this.#ended = ended
  }

  /** Ends the lease once its reader is done. */
  end(): void {
    const ended = this.#ended
    this.#ended = undefined
    ended?.(this)
  }

  /**
   * Gives up the lease of a reader whose end is unknown (a broken connection's last write); the memory is then never
   * freed by hand.
   */
  forfeit(): void {
    this.#ended = undefined
  }
}

/** Frees unused bytes; does nothing for a small buffer, or where other buffers share the memory. */
export function freeBytes(bytes: Buffer): void {
  // Transferring the memory to a buffer of length 0 frees it.
  if (isFreed(bytes) && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
}

function isFreed({ buffer, length }: Buffer): boolean {
  return length >= FREED_BYTES && length === buffer.byteLength
}
