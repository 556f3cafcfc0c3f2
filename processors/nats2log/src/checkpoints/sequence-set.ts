const BITS = 32

/** A set of sequences that lie close together: 32 of them take one entry of a map. */
export class SequenceSet {
  /** The bits of each 32 sequences, by sequence / 32. */
  readonly #words = new Map<number, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(sequence: number): boolean {
    return (this.#wordOf(sequence) & bitOf(sequence)) !== 0
  }

  add(sequence: number): void {
    if (this.has(sequence)) return
    this.#words.set(Math.floor(sequence / BITS), this.#wordOf(sequence) | bitOf(sequence))
    this.#size += 1
  }

  /** Returns whether the set had the sequence. */
  delete(sequence: number): boolean {
    if (!this.has(sequence)) return false
    const word = this.#wordOf(sequence) & ~bitOf(sequence)
    if (word === 0) this.#words.delete(Math.floor(sequence / BITS))
    else this.#words.set(Math.floor(sequence / BITS), word)
    this.#size -= 1
    return true
  }

  clear(): void {
    this.#words.clear()
    this.#size = 0
  }

  *[Symbol.iterator](): Generator<number, void> {
    for (const [index, word] of this.#words) {
      for (let bit = 0; bit < BITS; bit++) if ((word & (1 << bit)) !== 0) yield index * BITS + bit
    }
  }

  #wordOf(sequence: number): number {
    return this.#words.get(Math.floor(sequence / BITS)) ?? 0
  }
}

function bitOf(sequence: number): number {
  return 1 << (sequence % BITS)
}
