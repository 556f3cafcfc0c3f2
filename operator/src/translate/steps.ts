import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work that stops after each small part, and returns its result at the end. */
export type Steps<T> = Generator<undefined, T, undefined>

/** The clock and the event loop. */
export type Turns = {
  /** In ms. */
  readonly now: () => number
  /** Resolves once everything else that waits for the event loop had its turn. */
  readonly next: () => Promise<void>
}

/** Work in the event loop goes on for so long at a time, and meanwhile the lease and other gateways wait. */
const TURN_MS = 10
const EVENT_LOOP: Turns = { now: () => performance.now(), next: () => nextTurn() }

/** Does all steps in one turn of the event loop. */
export function allAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does the steps in short turns of the event loop. */
export async function inTurns<T>(steps: Steps<T>, turns: Turns = EVENT_LOOP): Promise<T> {
  let since = turns.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (turns.now() - since < TURN_MS) continue
    await turns.next()
    since = turns.now()
  }
}
