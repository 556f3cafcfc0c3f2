/** RFC 3339 times with nanoseconds, the duration in whole milliseconds (docs/reference/record.md#shared-forms). */
export type Timer = { readonly start: string; readonly stop: string; readonly duration: number }

export type NamedEntry<Details = unknown> = { readonly name: string; readonly details: Details }

export type HeaderMap = Readonly<Record<string, readonly string[]>>

export type ProcessorOutcome = { readonly required: boolean; readonly completed: boolean; readonly timestamp: Timer }

/**
 * The request side of a record; processors add further names. Empty maps and arrays are left out
 * (docs/reference/record.md#request).
 */
export type RecordRequest = {
  readonly gl_path: string
  readonly original_gl_path?: string
  readonly ingress_method?: string
  readonly ingress_subpath?: string
  readonly outbound_subpath?: string
  readonly ingress_headers?: HeaderMap
  readonly outbound_headers?: HeaderMap
  readonly outbound_headers_removed?: HeaderMap
  readonly outbound_headers_discarded?: HeaderMap
  readonly ingress_query_parameters?: readonly NamedEntry<readonly string[]>[]
  readonly outbound_query_parameters?: HeaderMap
  readonly outbound_query_parameters_overwritten?: HeaderMap
  readonly outbound_query_parameters_discarded?: HeaderMap
  readonly ingress_payload?: unknown
  readonly outbound_payload?: unknown
  readonly url_path?: string
  readonly url?: string
  readonly control?: unknown
  readonly ingress_outbound_timer?: Timer
  readonly processors?: readonly NamedEntry<ProcessorOutcome>[]
  readonly processors_async?: readonly NamedEntry<ProcessorOutcome>[]
  readonly error?: readonly NamedEntry<string>[]
}

/** The response side of a record; a control answer has no `inbound_status_code` (docs/reference/record.md#response). */
export type RecordResponse = {
  readonly gl_path?: string
  readonly original_gl_path?: string
  readonly inbound_status_code?: number
  readonly egress_status_code?: number
  readonly inbound_payload?: unknown
  readonly egress_payload?: unknown
  readonly inbound_headers?: HeaderMap
  readonly egress_headers?: HeaderMap
  readonly egress_headers_removed?: HeaderMap
  readonly outbound_inbound_timer?: Timer
  readonly inbound_egress_timer?: Timer
  readonly first_byte_timer?: Timer
  readonly stream?: true
  readonly processors?: readonly NamedEntry<ProcessorOutcome>[]
  readonly processors_async?: readonly NamedEntry<ProcessorOutcome>[]
  readonly error?: readonly NamedEntry<string>[]
}

/**
 * The JSON of one transaction, as the gateway publishes it on `{bus_prefix}.gl.logger` (docs/reference/record.md#root).
 */
export type LogRecord = {
  readonly session_id: string
  readonly transaction_id: string
  readonly request?: RecordRequest
  readonly response?: RecordResponse
  readonly ingress_egress_timer?: Timer
  readonly egress_post_timer?: Timer
  readonly error?: readonly NamedEntry[]
  readonly error_type?: string
  /** Names of the payloads that were too large for the bus, such as `request.ingress_payload`. */
  readonly cut?: readonly string[]
  /** True for a record that comes from the journal alone (docs/reference/kept-records.md#durability). */
  readonly incomplete?: true
}

/**
 * The text that replaces a secret in records, messages to processors, log lines and statuses
 * (docs/reference/record.md#masks).
 */
export const MASKED = '[*****MASKED*****]'
