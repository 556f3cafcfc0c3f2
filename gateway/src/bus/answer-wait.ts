import { longestTransferMs, usualTransferMs } from './path-speed.ts'
import type { QueuedRecord } from './record-fifo.ts'

type Sent = Pick<QueuedRecord, 'sentMs' | 'sentBytes'>

/** The wait of a sender for the bus's next answer. */
export class AnswerWait {
  /** The last time at which sending stopped; used only while nothing is sent. */
  #stopped: Sent = { sentMs: performance.now(), sentBytes: 0 }
  #isStalled = false

  /** True while nothing is sent until the bus answers. */
  get isStalled(): boolean {
    return this.#isStalled
  }

  /** Nothing can be sent from now on; a wait that stalled the sender is over. */
  stop(): void {
    this.#stopped = { sentMs: performance.now(), sentBytes: 0 }
    this.#isStalled = false
  }

  /** Nothing is sent from now on until the bus answers; `oldest` is the record whose answer is the next. */
  stall(oldest: Sent | undefined): void {
    // A copy, since the record may be sent again later.
    this.#stopped =
      oldest === undefined
        ? { sentMs: performance.now(), sentBytes: 0 }
        : { sentMs: oldest.sentMs, sentBytes: oldest.sentBytes }
    this.#isStalled = true
  }

  /** The bus has answered. */
  end(): void {
    this.#isStalled = false
  }

  /**
   * The milliseconds for which sent records have had no answer, without the time that their bytes usually take, or for
   * which nothing could be sent (`isAway`).
   */
  silentMs(oldest: Sent | undefined, isAway: boolean): number {
    if (isAway || this.#isStalled) return performance.now() - this.#stopped.sentMs
    return oldest === undefined ? 0 : Math.max(0, performance.now() - oldest.sentMs - usualTransferMs(oldest.sentBytes))
  }

  /** True where an answer is missing for `timeoutMs` and the time that the bytes take on the slowest path. */
  isOver(oldest: Sent | undefined, timeoutMs: number): boolean {
    // A stalled sender waits for an answer even where the spool has taken all sent records.
    const sent = this.#isStalled ? this.#stopped : oldest
    return sent !== undefined && performance.now() - sent.sentMs >= timeoutMs + longestTransferMs(sent.sentBytes)
  }
}
