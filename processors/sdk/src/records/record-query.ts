import { type RecordRow, recordRow } from '@llm-gateway/protocol'

/** The conditions on wanted records; undefined: no condition. */
export type RecordQuery = {
  /** Milliseconds since the epoch: only calls received then or later. */
  readonly sinceMs: number | undefined
  /** The router that was called or that answered. */
  readonly router: string | undefined
  /** The id of a session or of a transaction. */
  readonly session: string | undefined
  /** `503`, or `5xx` for a whole class; a record must match one of them. */
  readonly statuses: readonly string[]
}

/**
 * Returns whether a record matches the query. Only the columns of the query are read, so payloads may hold anything.
 */
export function isWanted(query: RecordQuery, record: Uint8Array): boolean {
  const { sinceMs, router, session, statuses } = query
  if (sinceMs === undefined && router === undefined && session === undefined && statuses.length === 0) return true
  const row = recordRow(record)
  if (sinceMs !== undefined && !(Date.parse(row.time ?? '') >= sinceMs)) return false
  if (router !== undefined && row.router !== router && row.originalRouter !== router) return false
  if (session !== undefined && !belongsTo(session, row)) return false
  return statuses.length === 0 || statuses.some((status) => isStatus(status, row.status))
}

/** The last part of a transaction's id differs from its session's, so each id is compared as a whole. */
function belongsTo(id: string, { sessionId, transactionId }: RecordRow): boolean {
  return sessionId === id || transactionId === id
}

function isStatus(wanted: string, status: number | undefined): boolean {
  if (status === undefined) return false
  return wanted.endsWith('xx') ? String(status).startsWith(wanted.slice(0, 1)) : String(status) === wanted
}
