import { type Row, type RowProcessor, type RowTable, selects } from '../config/runtime-config.ts'
import { callProcessors, lacksRequiredAnswer, type Pipeline } from '../pipeline/call-processors.ts'
import type { Side } from '../pipeline/side.ts'
import type { Transaction } from './transaction.ts'

/**
 * Runs the sync processors of all rows in the file's order; a control ends the run. Returns false where a required
 * processor didn't answer in the request phase: the call must not be made then (docs/reference/bus.md#required).
 * Returns no promise where the routers of the call have no rows.
 */
export function runSyncRows(
  pipeline: Pipeline,
  table: RowTable,
  transaction: Transaction,
  side: Side,
): Promise<boolean> | true {
  if (!hasRows(table)) return true
  const first = nextRow(table, routersOf(transaction))
  return first === undefined || runEachRow(pipeline, table, transaction, side)
}

async function runEachRow(pipeline: Pipeline, table: RowTable, transaction: Transaction, side: Side): Promise<boolean> {
  for (const row of rowsOf(table, transaction)) {
    const processors = applicableProcessors(row.sync, transaction)
    if (processors.length === 0) continue
    const answers = await callProcessors(pipeline, processors, side)
    if (side.phase === 'request' && lacksRequiredAnswer(answers)) return false
    if (side.control !== undefined) return true
  }
  return true
}

/** Runs the async processors of all rows; their replies only add to the record. */
export async function runAsyncRows(
  pipeline: Pipeline,
  table: RowTable,
  transaction: Transaction,
  side: Side,
): Promise<void> {
  for (const row of rowsOf(table, transaction)) {
    const processors = applicableProcessors(row.async, transaction)
    if (processors.length > 0) await callProcessors(pipeline, processors, side)
  }
}

/**
 * Returns true where an applicable sync processor reads or writes a payload: the answer is then collected first
 * (docs/reference/http.md#answers).
 */
export function needsPayload(table: RowTable, transaction: Transaction): boolean {
  if (!hasRows(table)) return false
  for (const row of rowsOf(table, transaction)) {
    if (applicableProcessors(row.sync, transaction).some(touchesPayload)) return true
  }
  return false
}

const responsePayloads = ['inbound_payload', 'egress_payload'] as const

function touchesPayload(processor: RowProcessor): boolean {
  return responsePayloads.some((name) => {
    if (processor.writes.has(name)) return true
    return selects(processor.input, name)
  })
}

/** Returns false for a phase without rows. */
export function hasRows({ everywhere, byRouter }: RowTable): boolean {
  return everywhere.length > 0 || byRouter.size > 0
}

/** Yields the rows of a call in the file's order. After a re-route the rows of the new router follow, too. */
function* rowsOf(table: RowTable, transaction: Transaction): Generator<Row, void, undefined> {
  let row = nextRow(table, routersOf(transaction))
  while (row !== undefined) {
    yield row
    row = nextRow(table, routersOf(transaction), row)
  }
}

/** Returns the first row after another that has a member for every router or for one of these routers. */
export function nextRow({ everywhere, byRouter }: RowTable, routers: CallRouters, after?: Row): Row | undefined {
  const { ingress, answering } = routers
  const own = earlier(firstAfter(everywhere, after), firstAfter(byRouter.get(ingress), after))
  return answering === ingress ? own : earlier(own, firstAfter(byRouter.get(answering), after))
}

/** Searches rows that are in the file's order. */
function firstAfter(rows: readonly Row[] = [], { position } = { position: -1 }): Row | undefined {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.position ?? 0) > position) high = middle
    else low = middle + 1
  }
  return rows[low]
}

function earlier(one: Row | undefined, other: Row | undefined): Row | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.position <= other.position ? one : other
}

/**
 * Selects the processors without `routers`, and those whose `routers` name the ingress router or the answering router.
 */
function applicableProcessors(processors: readonly RowProcessor[], transaction: Transaction): readonly RowProcessor[] {
  const { ingress, answering } = routersOf(transaction)
  return processors.filter(({ routers }) => routers === undefined || routers.has(ingress) || routers.has(answering))
}

/** The paths of a call's routers. They differ after a re-route. */
type CallRouters = { readonly ingress: string; readonly answering: string }

function routersOf({ route, request }: Transaction): CallRouters {
  return { ingress: route.path, answering: request?.outbound.route.path ?? route.path }
}
