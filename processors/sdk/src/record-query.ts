import { type RecordRow, recordRow } from '@llm-gateway/protocol'

/** Which records are wanted; what is undefined isn't asked for. */
export type RecordQuery = {
  /** Milliseconds since the epoch: calls that came in then or later. */
  readonly sinceMs: number | undefined
  /** The router that was called or that answered. */
  readonly router: string | undefined
  /** A session's or a transaction's id. */
  readonly session: string | undefined
  /** `503`, or `5xx` for a whole class; any of them. */
  readonly statuses: readonly string[]
}

/** Whether a record is wanted. Reads what it must know of it, whatever the rest holds. */
export function isWanted(query: RecordQuery, record: Uint8Array): boolean {
  const { sinceMs, router, session, statuses } = query
  if (sinceMs === undefined && router === undefined && session === undefined && statuses.length === 0) return true
  const row = recordRow(record)
  if (sinceMs !== undefined && !(Date.parse(row.time ?? '') >= sinceMs)) return false
  if (router !== undefined && row.router !== router && row.originalRouter !== router) return false
  if (session !== undefined && !belongsTo(session, row)) return false
  return statuses.length === 0 || statuses.some((status) => isStatus(status, row.status))
}

/** A transaction's id differs from its session's in the last part. */
function belongsTo(id: string, { sessionId, transactionId }: RecordRow): boolean {
  return sessionId === id || transactionId === id
}

function isStatus(wanted: string, status: number | undefined): boolean {
  if (status === undefined) return false
  return wanted.endsWith('xx') ? String(status).startsWith(wanted.slice(0, 1)) : String(status) === wanted
}
