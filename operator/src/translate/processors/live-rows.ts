import type { LiveCallPoint } from '../../model/snapshot.ts'
import type { Phase } from './call-points.ts'
import type { RowEntry } from './row-entries.ts'

type Place = Pick<LiveCallPoint, 'phase' | 'row'>
type Orders = ReadonlyMap<number, number>

/** Lower than every order that a resource can set. */
const FIRST = -1
/** More than twice the rows of a file. The fraction stays below 0.5, where kept entries of a refused edit stand. */
const ROWS = 4_096

/** The rows of the live file, to which call points return that nobody can read. */
export class LiveRows {
  readonly #orders: Readonly<Record<Phase, Orders>>

  /** `placed` are the call points of the Processors that can be read. */
  constructor(live: readonly LiveCallPoint[], placed: readonly RowEntry[]) {
    const ofPhase = (phase: Phase) =>
      ordersOf(
        live.filter((point) => point.phase === phase),
        placed.filter((entry) => entry.phase === phase),
      )
    this.#orders = { request: ofPhase('request'), response: ofPhase('response') }
  }

  /**
   * Returns the order that keeps a call point in its row of the live file: beside the members of that row, or in a row of
   * its own behind the rows before it.
   */
  orderOf({ phase, row }: Place): number {
    return this.#orders[phase].get(row) ?? FIRST
  }
}

/** Returns row of the live file → the order of its call points. */
function ordersOf(live: readonly LiveCallPoint[], placed: readonly RowEntry[]): Orders {
  const rows = new Map(live.map(({ entry, row }) => [entry.service_bus_topic, row]))
  const beside = new Map<number, number>()
  const last = new Map<number, number>()
  for (const { order, entry } of placed) {
    const row = rows.get(entry.service_bus_topic)
    if (row === undefined) continue
    if (!beside.has(row)) beside.set(row, order)
    last.set(row, Math.max(order, last.get(row) ?? FIRST))
  }
  const orders = new Map<number, number>()
  let before = FIRST
  for (const row of [...new Set(live.map((point) => point.row))].sort((a, b) => a - b)) {
    // A number between two whole numbers, so that several unreadable call points keep their rows apart.
    orders.set(row, beside.get(row) ?? before + (row + 1) / ROWS)
    before = Math.max(before, last.get(row) ?? FIRST)
  }
  return orders
}
