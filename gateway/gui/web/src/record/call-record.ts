import { elementsOf, type JsonObject, membersOf, numberOf, textOf, valueAt } from '../json-value.ts'

export type HopName = 'ingress' | 'outbound' | 'inbound' | 'egress'

export type Hop = {
  readonly name: HopName
  /** The request's first line or the answer's status. */
  readonly line: string | undefined
  readonly headers: ReadonlyMap<string, readonly string[]>
  /** undefined if the call did not get this far. */
  readonly payload: unknown
  readonly reached: boolean
}

/** A span of the call, in milliseconds from the call's beginning. */
export type Span = {
  readonly name: string
  readonly kind: 'call' | 'processor'
  readonly start: number
  readonly duration: number
  readonly isAsync: boolean
  /** True for a processor that gave no answer. */
  readonly failed: boolean
}

export type CallRecord = {
  readonly sessionId: string
  readonly transactionId: string
  /** ISO 8601 */
  readonly time: string
  readonly path: string
  /** The router that answered after a re-route. */
  readonly answeredBy: string
  readonly method: string
  readonly subpath: string
  readonly query: readonly (readonly [string, string])[]
  readonly status: number | undefined
  readonly errorType: string | undefined
  readonly errors: readonly { readonly name: string; readonly details: string }[]
  readonly durationMs: number | undefined
  readonly upstreamMs: number | undefined
  readonly firstByteMs: number | undefined
  readonly streamed: boolean
  readonly usage: readonly { readonly name: string; readonly count: number }[]
  readonly hops: readonly Hop[]
  readonly spans: readonly Span[]
  /** Fields that processors added, by side. */
  readonly added: readonly { readonly name: string; readonly value: unknown }[]
}

/** Reads a record of the bus for display. Missing or unexpected parts become empty, never an error. */
export function readRecord(record: unknown): CallRecord {
  const request = membersOf(valueAt(record, ['request']))
  const response = membersOf(valueAt(record, ['response']))
  const path = textOf(request.original_gl_path) ?? textOf(request.gl_path) ?? ''
  const timer = membersOf(valueAt(record, ['ingress_egress_timer']))
  const time = textOf(timer.start) ?? textOf(valueAt(request, ['ingress_outbound_timer', 'start'])) ?? ''
  return {
    sessionId: textOf(valueAt(record, ['session_id'])) ?? '',
    transactionId: textOf(valueAt(record, ['transaction_id'])) ?? '',
    time,
    path,
    answeredBy: textOf(response.gl_path) ?? path,
    method: textOf(request.ingress_method) ?? 'POST',
    subpath: textOf(request.ingress_subpath) ?? '',
    query: namedArray(request.ingress_query_parameters).flatMap(([name, details]) =>
      elementsOf(details).map((value) => [name, shownText(value)] as const),
    ),
    status: numberOf(response.egress_status_code),
    errorType: textOf(valueAt(record, ['error_type'])),
    errors: [request, response, membersOf(record)].flatMap(({ error }) =>
      namedArray(error).map(([name, details]) => ({ name, details: shownText(details) })),
    ),
    durationMs: numberOf(timer.duration),
    upstreamMs: numberOf(valueAt(response, ['outbound_inbound_timer', 'duration'])),
    firstByteMs: numberOf(valueAt(response, ['first_byte_timer', 'duration'])),
    streamed: response.stream === true,
    usage: usageOf(response),
    hops: hopsOf(request, response),
    spans: spansOf(request, response, time),
    added: [...addedTo('request', request), ...addedTo('response', response)],
  }
}

function namedArray(value: unknown): readonly (readonly [string, unknown])[] {
  return elementsOf(value).map((entry) => {
    const { name, details } = membersOf(entry)
    return [textOf(name) ?? '', details] as const
  })
}

/** Returns a text as it is and any other value as JSON: `String` throws for an object with a member `toString`. */
function shownText(value: unknown): string {
  return textOf(value) ?? JSON.stringify(value) ?? ''
}

function headersOf(value: unknown): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(membersOf(value)).map(([name, values]) => [name, elementsOf(values).map(shownText)]))
}

function hopsOf(request: JsonObject, response: JsonObject): readonly Hop[] {
  const inbound = numberOf(response.inbound_status_code)
  const egress = numberOf(response.egress_status_code)
  const method = textOf(request.ingress_method) ?? ''
  const sent = textOf(request.url)
  return [
    {
      name: 'ingress',
      line: `${method} ${textOf(request.original_gl_path) ?? textOf(request.gl_path) ?? ''}${textOf(request.ingress_subpath) ?? ''}`,
      headers: headersOf(request.ingress_headers),
      payload: request.ingress_payload,
      reached: true,
    },
    {
      name: 'outbound',
      line: sent === undefined ? undefined : `${method} ${sent}`,
      headers: headersOf(request.outbound_headers),
      payload: request.outbound_payload,
      reached: sent !== undefined,
    },
    {
      name: 'inbound',
      line: inbound === undefined ? undefined : String(inbound),
      headers: headersOf(response.inbound_headers),
      payload: response.inbound_payload,
      reached: inbound !== undefined,
    },
    {
      name: 'egress',
      line: egress === undefined ? undefined : String(egress),
      headers: headersOf(response.egress_headers),
      payload: response.egress_payload,
      reached: egress !== undefined,
    },
  ]
}

const USAGE_NAMES: readonly (readonly [shown: string, names: readonly string[]])[] = [
  ['prompt', ['prompt_tokens', 'input_tokens']],
  ['completion', ['completion_tokens', 'output_tokens']],
  ['total', ['total_tokens']],
]

function usageOf(response: JsonObject): CallRecord['usage'] {
  const counted = membersOf(response.token_count)
  const usage = membersOf(valueAt(response, ['inbound_payload', 'usage']))
  return USAGE_NAMES.flatMap(([name, keys]) => {
    const count = keys.map((key) => numberOf(counted[key]) ?? numberOf(usage[key])).find((found) => found !== undefined)
    return count === undefined ? [] : [{ name, count }]
  })
}

const TIMERS = ['ingress_outbound_timer', 'outbound_inbound_timer', 'inbound_egress_timer'] as const

function spansOf(request: JsonObject, response: JsonObject, time: string): readonly Span[] {
  const zero = Date.parse(time)
  if (Number.isNaN(zero)) return []
  const span = (timer: unknown, rest: Omit<Span, 'start' | 'duration'>): readonly Span[] => {
    const { start, duration } = membersOf(timer)
    const began = Date.parse(textOf(start) ?? '')
    return Number.isNaN(began) ? [] : [{ ...rest, start: began - zero, duration: numberOf(duration) ?? 0 }]
  }
  const processors = (value: unknown, isAsync: boolean): readonly Span[] =>
    namedArray(value).flatMap(([name, details]) => {
      const { timestamp, completed } = membersOf(details)
      return span(timestamp, { name, kind: 'processor', isAsync, failed: completed === false })
    })
  const call = (side: JsonObject, name: (typeof TIMERS)[number]) =>
    span(side[name], { name, kind: 'call', isAsync: false, failed: false })
  return [
    ...call(request, 'ingress_outbound_timer'),
    ...processors(request.processors, false),
    ...call(response, 'outbound_inbound_timer'),
    ...call(response, 'inbound_egress_timer'),
    ...processors(response.processors, false),
    ...processors(request.processors_async, true),
    ...processors(response.processors_async, true),
  ]
}

/** Fields that the gateway writes itself; all others come from processors. */
const OWN_FIELDS = new Set(
  [
    'gl_path original_gl_path ingress_method ingress_subpath outbound_subpath ingress_headers outbound_headers url_path url',
    'outbound_headers_removed outbound_headers_discarded ingress_query_parameters outbound_query_parameters error',
    'outbound_query_parameters_overwritten outbound_query_parameters_discarded ingress_payload outbound_payload control',
    'ingress_outbound_timer processors processors_async inbound_status_code egress_status_code inbound_payload stream',
    'egress_payload inbound_headers egress_headers egress_headers_removed outbound_inbound_timer inbound_egress_timer',
    'first_byte_timer',
  ].flatMap((names) => names.split(' ')),
)

function addedTo(side: string, fields: JsonObject): CallRecord['added'] {
  return Object.entries(fields)
    .filter(([name]) => !OWN_FIELDS.has(name))
    .map(([name, value]) => ({ name: `${side}.${name}`, value }))
}
