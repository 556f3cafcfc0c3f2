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
 * What went wrong at the sub-router; undefined where nothing did or it wasn't its fault (wire, 6, *Reading*): a caller that
 * left, the caller's own mistake, and a control answer, whose status no LLM API gave.
 */
export function failureReason(message: ReadonlyMap<string, unknown>): FailureReason | undefined {
  if (message.get('egress_status_code') === CALLER_GONE) return undefined
  if (hasTransportError(message.get('error'))) return 'connection'
  // What the LLM API said: a processor may have written another status for the caller.
  const status = message.get('inbound_status_code')
  if (typeof status === 'number' && status >= 500 && status <= 599) return 'server_error'
  return BY_STATUS.get(status)
}

/** `[{name: 'outbound', details: 'UPSTREAM_REFUSED'}, …]` (wire, 3): other entries are processors' and the status. */
function hasTransportError(error: unknown): boolean {
  return Array.isArray(error) && error.some((entry) => isJsonObject(entry) && entry.name === 'outbound')
}
