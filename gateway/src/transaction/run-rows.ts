import { type Member, type Row, selects } from '../config/runtime-config.ts'
import { callProcessors, lacksRequired, type Pipeline } from '../pipeline/call-processors.ts'
import type { Side } from '../pipeline/side.ts'
import type { Transaction } from './transaction.ts'

/**
 * Runs the sync members of all rows in the file's order; a control ends the run. Returns false where a required member
 * didn't answer in the request phase: the call must not be made then (docs/reference/bus.md#required). Returns no
 * promise without rows.
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

/** Runs the async members of all rows; their replies only add to the record. */
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
 * Returns true where an applicable sync member reads or writes a payload: the answer is then collected first
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

/** Selects the members without `routers`, and those whose `routers` name the ingress router or the answering router. */
function applicable(members: readonly Member[], transaction: Transaction): readonly Member[] {
  const ingress = transaction.route.path
  const answering = transaction.request?.outbound.route.path ?? ingress
  return members.filter(({ routers }) => routers === undefined || routers.has(ingress) || routers.has(answering))
}
