import { setImmediate as nextTurn } from 'node:timers/promises'

/** After this time other work runs. */
const TURN_MS = 10

/** Makes a function to call between two steps of long work: it lets other work run once a turn has taken long. */
export function pauses(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < TURN_MS) return
    await nextTurn()
    began = performance.now()
  }
}
