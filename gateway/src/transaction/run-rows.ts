import { type Row, type RowProcessor, selects } from '../config/runtime-config.ts'
import { callProcessors, lacksRequiredAnswer, type Pipeline } from '../pipeline/call-processors.ts'
import type { Side } from '../pipeline/side.ts'
import type { Transaction } from './transaction.ts'

/**
 * Runs the sync processors of all rows in the file's order; a control ends the run. Returns false where a required
 * processor didn't answer in the request phase: the call must not be made then (docs/reference/bus.md#required).
 * Returns no promise without rows.
 */
export function runSyncRows(
  pipeline: Pipeline,
  rows: readonly Row[],
  transaction: Transaction,
  side: Side,
): Promise<boolean> | true {
  return rows.length === 0 || runEachRow(pipeline, rows, transaction, side)
}

async function runEachRow(
  pipeline: Pipeline,
  rows: readonly Row[],
  transaction: Transaction,
  side: Side,
): Promise<boolean> {
  for (const row of rows) {
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
  rows: readonly Row[],
  transaction: Transaction,
  side: Side,
): Promise<void> {
  for (const row of rows) {
    const processors = applicableProcessors(row.async, transaction)
    if (processors.length > 0) await callProcessors(pipeline, processors, side)
  }
}

/**
 * Returns true where an applicable sync processor reads or writes a payload: the answer is then collected first
 * (docs/reference/http.md#answers).
 */
export function needsPayload(rows: readonly Row[], transaction: Transaction): boolean {
  return rows.some((row) => applicableProcessors(row.sync, transaction).some(touchesPayload))
}

const responsePayloads = ['inbound_payload', 'egress_payload'] as const

function touchesPayload(processor: RowProcessor): boolean {
  return responsePayloads.some((name) => {
    if (processor.writes.has(name)) return true
    return selects(processor.input, name)
  })
}

/**
 * Selects the processors without `routers`, and those whose `routers` name the ingress router or the answering router.
 */
function applicableProcessors(processors: readonly RowProcessor[], transaction: Transaction): readonly RowProcessor[] {
  const ingress = transaction.route.path
  const answering = transaction.request?.outbound.route.path ?? ingress
  return processors.filter(({ routers }) => routers === undefined || routers.has(ingress) || routers.has(answering))
}
