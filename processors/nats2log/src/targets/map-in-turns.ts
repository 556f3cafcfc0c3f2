import { setImmediate as nextTurn } from 'node:timers/promises'

/** The time of one turn of the event loop. */
const TURN_MS = 10

/**
 * Maps items in order, for some milliseconds in each turn of the event loop: a batch may have 32 MiB, and callers choose
 * how many members the payloads of a record have. Meanwhile the bus hears that the sink works on its records, and probes
 * get answers.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let beganMs = performance.now()
  for (const item of items) {
    results.push(map(item))
    if (performance.now() - beganMs < TURN_MS) continue
    await nextTurn()
    beganMs = performance.now()
  }
  return results
}
