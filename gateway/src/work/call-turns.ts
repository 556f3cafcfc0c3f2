import { FairQueue } from './fair-queue.ts'
import { runSteps } from './run-steps.ts'
import { TurnEnd } from './turn-end.ts'

/**
 * The most steps of calls in one turn of the event loop. The count begins again only at a marked end of a turn, and an
 * end is marked after half of the steps: so a turn may have only half as many. A step takes some 50 to 100
 * microseconds: the call to the LLM API with the request's half of the record, or the answer with its record.
 */
export const STEPS_OF_TURN = 64
/** The most steps of a turn while new connections wait to be accepted, so that the next turn begins soon. */
const STEPS_WHILE_HELD = 8
/** The milliseconds that waiting steps take in one turn: a step that reads 64 KiB of an event stream takes 2 ms. */
const TURN_MS = 8

/**
 * Bounds the steps of calls in a turn of the event loop, and shares the turns between routers: thousands of calls may
 * arrive, or be answered, at one moment, and the calls of other routers would wait for all of them. Up to the bound a
 * step waits for nothing.
 */
export class CallTurns {
  #taken = 0
  #most = STEPS_OF_TURN
  readonly #waiting = new FairQueue<() => void>()
  readonly #turnEnd = new TurnEnd(() => void this.#begin()) // never rejects: a step's code is behind its promise

  /** Returns undefined where the step may go on at once, else a promise that resolves in a later turn. */
  take(router: string): Promise<void> | undefined {
    if (this.#taken < this.#most && this.#waiting.isEmpty) {
      this.#taken += 1
      // Not in each turn: an immediate costs another look at the sockets.
      if (this.#taken >= this.#most / 2) this.#turnEnd.await()
      return undefined
    }
    return new Promise((resolve) => {
      this.#waiting.add(router, resolve)
      this.#turnEnd.await()
    })
  }

  /** Until `release`, turns have few steps. */
  hold(): void {
    this.#most = STEPS_WHILE_HELD
  }

  release(): void {
    this.#most = STEPS_OF_TURN
  }

  /** Begins a turn: lets waiting steps go on, alternately by router. */
  async #begin(): Promise<void> {
    this.#taken = 0
    await runSteps(TURN_MS, () => {
      if (this.#taken >= this.#most || this.#waiting.isEmpty) return undefined
      this.#taken += 1
      return this.#waiting.takeFirst()
    })
    if (!this.#waiting.isEmpty || this.#taken >= this.#most / 2) this.#turnEnd.await()
  }
}
