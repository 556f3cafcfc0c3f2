import { FairQueue } from './fair-queue.ts'
import { runSteps } from './run-steps.ts'
import { TurnClock } from './turn-clock.ts'
import { TurnEnd } from './turn-end.ts'

/**
 * The most steps of calls in one turn of the event loop. The count begins again only at a marked end of a turn, and an
 * end is marked after half of the steps: so a turn may have only half as many. A step takes some 50 to 100
 * microseconds: the call to the LLM API with the request's half of the record, or the answer with its record.
 */
export const STEPS_OF_TURN = 64
/** The most steps of a turn while new connections wait to be accepted, so that the next turn begins soon. */
const STEPS_WHILE_HELD = 8
/**
 * The milliseconds for which steps go on at once in a turn, and those that waiting steps take: a step that reads 64 KiB
 * of an event stream takes 2 ms.
 */
const TURN_MS = 8

type WaitingStep = { readonly steps: number; readonly resolve: () => void }

/**
 * Bounds the steps of calls in a turn of the event loop, and shares the turns between routers: thousands of calls may
 * arrive, or be answered, at one moment, and the calls of other routers would wait for all of them. Up to the bound a
 * step waits for nothing.
 */
export class CallTurns {
  #taken = 0
  #most = STEPS_OF_TURN
  readonly #clock = new TurnClock(TURN_MS)
  readonly #waiting = new FairQueue<WaitingStep>()
  readonly #turnEnd = new TurnEnd(() => void this.#begin()) // never rejects: a step's code is behind its promise

  /**
   * Returns undefined where the step may go on at once, else a promise that resolves in a later turn. A step that takes
   * long counts as several: calls whose replies come in one read all take their steps before any of them works, so that
   * the clock alone would bound none of them.
   */
  take(router: string, steps = 1): Promise<void> | undefined {
    if (this.#taken < this.#most && this.#waiting.isEmpty && !this.#clock.isOver) {
      this.#taken += steps
      // Not in each turn: an immediate costs another look at the sockets.
      if (this.#taken >= this.#most / 2) this.#turnEnd.await()
      return undefined
    }
    return new Promise((resolve) => {
      this.#waiting.add(router, { steps, resolve })
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
      const step = this.#taken < this.#most ? this.#waiting.takeFirst() : undefined
      this.#taken += step?.steps ?? 0
      return step?.resolve
    })
    if (!this.#waiting.isEmpty || this.#taken >= this.#most / 2) this.#turnEnd.await()
  }
}
