import { isJsonObject } from '@llm-gateway/protocol'

/** Classes of what went wrong at a sub-router; also the label of the metric. */
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
 * The failure of a member (docs/reference/processors.md#broker). Undefined for a call that succeeded and for causes
 * outside of the member: a caller that left, a caller's mistake, and a control answer, whose status is not the LLM
 * API's.
 */
export function failureReason(message: ReadonlyMap<string, unknown>): FailureReason | undefined {
  if (message.get('egress_status_code') === CALLER_GONE) return undefined
  if (hasTransportError(message.get('error'))) return 'connection'
  // What the LLM API said: a processor may have written another status for the caller.
  const status = message.get('inbound_status_code')
  if (typeof status === 'number' && status >= 500 && status <= 599) return 'server_error'
  return BY_STATUS.get(status)
}

/** `error` is `[{name: 'outbound', details: 'UPSTREAM_REFUSED'}, …]`; other entries are of processors or hold the status. */
function hasTransportError(error: unknown): boolean {
  return Array.isArray(error) && error.some((entry) => isJsonObject(entry) && entry.name === 'outbound')
}
