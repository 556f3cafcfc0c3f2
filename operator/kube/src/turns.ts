import { setImmediate as nextTurn } from 'node:timers/promises'

export type Turns = <T>(act: () => T) => Promise<T>

/**
 * Makes a queue of acts. Each act gets a turn of the event loop of its own, so that twenty long answers that arrive at
 * one moment don't add up, and timers and sockets are served between them.
 */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const done = last.then(() => nextTurn()).then(act)
    // The caller gets result and failure. The queue keeps neither.
    last = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }
}
