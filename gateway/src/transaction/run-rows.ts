import { type Member, type Row, selects } from '../config/runtime-config.ts'
import { callProcessors, lacksRequired, type Pipeline } from '../pipeline/call-processors.ts'
import type { Side } from '../pipeline/side.ts'
import type { Transaction } from './transaction.ts'

/**
 * Runs the sync members of all rows, row after row in the file's order. A control ends them. False where a required
 * member gave no answer in the request phase: then the call must not be made (docs/reference/bus.md#required). Without
 * rows there is no promise.
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
    const members = applicable(row.sync, transaction)
    if (members.length === 0) continue
    const answers = await callProcessors(pipeline, members, side)
    if (side.phase === 'request' && lacksRequired(answers)) return false
    if (side.control !== undefined) return true
  }
  return true
}

/** Runs the async members of all rows; they add to the record only. */
export async function runAsyncRows(
  pipeline: Pipeline,
  rows: readonly Row[],
  transaction: Transaction,
  side: Side,
): Promise<void> {
  for (const row of rows) {
    const members = applicable(row.async, transaction)
    if (members.length > 0) await callProcessors(pipeline, members, side)
  }
}

/**
 * Whether a sync member that applies reads or writes a payload: then the answer is collected first
 * (docs/reference/http.md#answers).
 */
export function needsPayload(rows: readonly Row[], transaction: Transaction): boolean {
  return rows.some((row) => applicable(row.sync, transaction).some(touchesPayload))
}

const responsePayloads = ['inbound_payload', 'egress_payload'] as const

function touchesPayload(member: Member): boolean {
  return responsePayloads.some((name) => {
    if (member.writes.has(name)) return true
    return selects(member.input, name)
  })
}

/** An entry's `routers` match the ingress router or the one that answers. */
function applicable(members: readonly Member[], transaction: Transaction): readonly Member[] {
  const ingress = transaction.route.path
  const answering = transaction.request?.outbound.route.path ?? ingress
  return members.filter(({ routers }) => routers === undefined || routers.has(ingress) || routers.has(answering))
}
