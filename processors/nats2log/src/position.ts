import type { ConsumerState, StreamState } from '@llm-gateway/sdk'

/** Records that the stream dropped before the sink had them: sequences of the first and of the last, and how many. */
export type Overtaken = { readonly from: number; readonly to: number; readonly count: number }

/** How far a sink has come in one stream (docs/reference/kept-records.md#sinks). */
export class Position {
  /** Of the stream: another one was made anew, and says nothing about what the sink has. */
  readonly created: string
  /** Everything up to here is delivered, refused or overtaken. */
  #floor: number
  /** Settled above the floor; the bus gives no more than 20,000 at once. */
  readonly #above = new Set<number>()

  constructor(created: string, floor: number) {
    this.created = created
    this.#floor = floor
  }

  get floor(): number {
    return this.#floor
  }

  has(sequence: number): boolean {
    return sequence <= this.#floor || this.#above.has(sequence)
  }

  settle(sequence: number): void {
    if (sequence <= this.#floor) return
    this.#above.add(sequence)
    while (this.#above.delete(this.#floor + 1)) this.#floor += 1
  }

  /** Records of the stream that the sink has still to deliver. */
  behind({ last }: Pick<StreamState, 'last'>): number {
    return Math.max(0, last - this.#floor - this.#above.size)
  }

  /**
   * Compares with what the bus says, the consumer's state asked for before the stream's. Where the stream still has the
   * record behind the floor, the consumer's own floor is true, and replicas of this sink may have moved it. Where it hasn't,
   * the server has moved that floor without a word, and what neither was settled nor is held is lost.
   */
  follow(consumer: Pick<ConsumerState, 'floor'>, stream: Pick<StreamState, 'first'>, held: ReadonlySet<number>) {
    if (stream.first <= this.#floor + 1) {
      this.#raise(consumer.floor)
      return undefined
    }
    const from = this.#floor + 1
    const to = stream.first - 1
    let count = to - this.#floor
    for (const sequence of this.#above) if (sequence <= to) count -= 1
    for (const sequence of held) if (sequence >= from && sequence <= to && !this.#above.has(sequence)) count -= 1
    this.#raise(to)
    return count > 0 ? ({ from, to, count } satisfies Overtaken) : undefined
  }

  #raise(floor: number): void {
    if (floor <= this.#floor) return
    this.#floor = floor
    for (const sequence of this.#above) if (sequence <= floor) this.#above.delete(sequence)
    while (this.#above.delete(this.#floor + 1)) this.#floor += 1
  }
}
