/**
 * All errors that the gateway answers with or records. Programs compare the codes, so that a code never changes
 * (docs/reference/errors.md#codes).
 * The gateway's own errors have a JSON body; errors of the connection to the LLM API have an empty body and the header
 * `Gateway-Error` (docs/reference/http.md#errors).
 */
const table = {
  NOT_JSON: { status: 400, type: 'caller_bad_request', message: 'The request body is not valid JSON.' },
  BAD_PATH: { status: 400, type: 'caller_bad_request', message: 'The request path is not acceptable.' },
  INGRESS_HEADER_MISSING: { status: 401, type: 'caller_unauthorized', message: 'A required header is missing.' },
  INGRESS_HEADER_INVALID: { status: 401, type: 'caller_unauthorized', message: 'A required header is not valid.' },
  ROUTER_NOT_FOUND: { status: 404, type: 'caller_bad_request', message: 'No router is configured for this path.' },
  METHOD_NOT_ALLOWED: { status: 405, type: 'caller_bad_request', message: 'This method is not allowed.' },
  REQUEST_TIMEOUT: { status: 408, type: 'caller_bad_request', message: 'The request did not arrive in time.' },
  BODY_TOO_LARGE: { status: 413, type: 'caller_bad_request', message: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, type: 'caller_bad_request', message: 'Only JSON is accepted.' },
  HEADERS_TOO_LARGE: { status: 431, type: 'caller_bad_request', message: 'The request headers are too large.' },
  CALLER_GONE: { status: 499, type: 'caller_cancelled', message: 'The caller went away.' },
  INTERNAL: { status: 500, type: 'gateway_internal', message: 'The gateway failed.' },
  OVERLOADED: { status: 503, type: 'gateway_overloaded', message: 'The gateway has no memory left for this call.' },
  RECORDS_FULL: {
    status: 503,
    type: 'gateway_overloaded',
    message: 'The gateway has no room for the record of this call.',
  },
  PROCESSOR_REQUIRED: { status: 503, type: 'policy_unavailable', message: 'A required processor gave no answer.' },
  UPSTREAM_REFUSED: { status: 502, type: 'provider_connect', message: 'The LLM API refused the connection.' },
  UPSTREAM_RESET: { status: 502, type: 'provider_connect', message: 'The LLM API closed the connection.' },
  UPSTREAM_TLS: { status: 502, type: 'provider_connect', message: 'TLS with the LLM API failed.' },
  UPSTREAM_PROTOCOL: { status: 502, type: 'provider_connect', message: 'The LLM API answered with broken HTTP.' },
  UPSTREAM_TOO_LARGE: { status: 502, type: 'provider_connect', message: 'The answer of the LLM API is too large.' },
  UPSTREAM_ENCODING: {
    status: 502,
    type: 'provider_connect',
    message: 'The answer of the LLM API could not be decoded.',
  },
  UPSTREAM_DENIED: { status: 502, type: 'policy_denied', message: 'The address of the LLM API is denied.' },
  UPSTREAM_NOT_FOUND: { status: 503, type: 'provider_connect', message: 'The LLM API could not be reached.' },
  UPSTREAM_TIMEOUT: { status: 504, type: 'provider_timeout', message: 'The LLM API did not answer in time.' },
} as const satisfies Record<string, { status: number; type: string; message: string }>

export type ErrorCode = keyof typeof table
export type UpstreamCode = Extract<ErrorCode, `UPSTREAM_${string}`>
/**
 * The values of `error_type` in records and of the label in metrics; '' means no error
 * (docs/reference/errors.md#error-types).
 */
export type ErrorType = (typeof table)[ErrorCode]['type'] | 'provider_error' | 'provider_stream' | ''

/** The table as data, from which the page of errors in docs/reference is generated. */
export const errorTable: Readonly<Record<string, { status: number; type: string; message: string }>> = table

export function statusOf(code: ErrorCode): number {
  return table[code].status
}

export function typeOf(code: ErrorCode): ErrorType {
  return table[code].type
}

/**
 * Returns the JSON body of one of the gateway's own errors, in the format of the caller's SDK: Anthropic's for callers
 * that sent `anthropic-version`, else OpenAI's. `message` replaces the table's and never contains a header's value.
 */
export function errorBody(code: ErrorCode, message: string | undefined, anthropic: boolean): string {
  const error = { message: message ?? table[code].message, type: table[code].type, code }
  return JSON.stringify(anthropic ? { type: 'error', error } : { error })
}
