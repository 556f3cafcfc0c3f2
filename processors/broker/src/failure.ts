import { isJsonObject } from '@llm-gateway/protocol'

/** Reasons for a member's failure; also the metric's label. */
export const FAILURE_REASONS = [
  'connection',
  'server_error',
  'rate_limited',
  'timeout',
  'unauthorized',
  'not_found',
] as const

export type FailureReason = (typeof FAILURE_REASONS)[number]

const CALLER_GONE = 499

const BY_STATUS: ReadonlyMap<unknown, FailureReason> = new Map([
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'not_found'],
  [408, 'timeout'],
  [429, 'rate_limited'],
])

/**
 * Returns the reason of a member's failure (docs/reference/processors.md#broker). Undefined for a successful call and
 * for causes outside the member: a caller that left, a caller's mistake, and a control answer, whose status isn't the
 * LLM API's.
 */
export function failureReason(message: ReadonlyMap<string, unknown>): FailureReason | undefined {
  if (message.get('egress_status_code') === CALLER_GONE) return undefined
  if (hasTransportError(message.get('error'))) return 'connection'
  // The LLM API's own status; a processor may have changed the caller's.
  const status = message.get('inbound_status_code')
  if (typeof status === 'number' && status >= 500 && status <= 599) return 'server_error'
  return BY_STATUS.get(status)
}

/**
 * Returns whether `error` has an entry of the transport, such as `{name: 'outbound', details: 'UPSTREAM_REFUSED'}`.
 * Other entries are of processors or hold the status.
 */
function hasTransportError(error: unknown): boolean {
  return Array.isArray(error) && error.some((entry) => isJsonObject(entry) && entry.name === 'outbound')
}
