import type { ConsumerState, StreamState } from '@llm-gateway/sdk'
import type { Checkpoint } from './checkpoint-store.ts'
import { SequenceSet } from './sequence-set.ts'

/** Records that the stream dropped before the sink read them: the first and the last sequence, and their number. */
export type Overtaken = { readonly from: number; readonly to: number; readonly count: number }

/** A sink's progress in one stream (docs/reference/kept-records.md#sinks). */
export class Position {
  /** The stream's creation time. After a stream was made anew, an old position says nothing about it. */
  readonly created: string
  /** All records up to this sequence are delivered, refused or overtaken. */
  #floor: number
  /** Settled sequences above the floor: those of many minutes while a record that fails alone waits at the floor. */
  readonly #above = new SequenceSet()
  #newestMs: number

  constructor({ created, floor, newestMs = 0 }: Checkpoint) {
    this.created = created
    this.#floor = floor
    this.#newestMs = newestMs
  }

  get floor(): number {
    return this.#floor
  }

  /** The time at which the stream stored the newest settled record, in milliseconds since the epoch. */
  get newestMs(): number {
    return this.#newestMs
  }

  /**
   * Returns whether the record is settled. A bus that was killed may have lost its last records, and stores later ones
   * under the same sequences: a record that is newer than all settled ones is not settled.
   */
  has(sequence: number, storedMs: number): boolean {
    return storedMs <= this.#newestMs && (sequence <= this.#floor || this.#above.has(sequence))
  }

  settle(sequence: number, storedMs = 0): void {
    this.#newestMs = Math.max(this.#newestMs, storedMs)
    if (sequence <= this.#floor) return
    this.#above.add(sequence)
    while (this.#above.delete(this.#floor + 1)) this.#floor += 1
  }

  /** Returns the number of records that the sink has still to deliver. */
  behind({ last }: Pick<StreamState, 'last'>): number {
    return Math.max(0, last - this.#floor - this.#above.size)
  }

  /**
   * Compares the position with the bus; the consumer's state must be older than the stream's. While the stream still
   * has the record after the floor, the consumer's floor is right: other replicas of the sink may have raised it.
   * Otherwise the server has raised it past dropped records, and those neither settled nor held are lost.
   */
  follow(
    consumer: Pick<ConsumerState, 'floor'>,
    stream: Pick<StreamState, 'first' | 'last'>,
    held: ReadonlySet<number>,
  ) {
    if (stream.last < this.#floor) this.#goBack(stream.last)
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

  /** Forgets the sequences that the stream has lost. */
  #goBack(last: number): void {
    this.#floor = last
    this.#above.clear()
  }

  #raise(floor: number): void {
    if (floor <= this.#floor) return
    this.#floor = floor
    for (const sequence of this.#above) if (sequence <= floor) this.#above.delete(sequence)
    while (this.#above.delete(this.#floor + 1)) this.#floor += 1
  }
}
