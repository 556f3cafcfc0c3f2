import { chooseCuts, cutPayload, type PayloadName } from '../bus/cut-record.ts'
import type { TextPart } from '../bus/record-message.ts'
import { type Instant, timerJson } from '../clock.ts'
import { type FieldFilter, selects } from '../config/runtime-config.ts'
import type { ErrorType } from '../errors.ts'
import { quote } from '../json/quote.ts'
import { showAccount } from '../pipeline/account.ts'
import type { Fields } from '../pipeline/fields.ts'
import type { Side } from '../pipeline/side.ts'
import { headersJson } from './mask.ts'
import type { JsonText } from './payload.ts'
import type { Transaction } from './transaction.ts'

/**
 * The record of a finished transaction as parts of its JSON (wire, 3): payload bytes as they came, neither copied nor read.
 * Where the bus would refuse its size (`maxBytes`), the largest payloads are cut and named in `cut`.
 */
export function encodeRecord(
  transaction: Transaction,
  errorType: ErrorType,
  posted: Instant,
  maxBytes: number | undefined,
): readonly TextPart[] {
  completeRequest(transaction)
  completeResponse(transaction)
  const cut = cutNames(transaction.response?.cut ?? [], cutToFit(transaction, maxBytes))
  const { ids, moments, runtime, request, response } = transaction
  const json = new JsonParts(`{"session_id":${quote(ids.sessionId)},"transaction_id":${quote(ids.transactionId)}`)
  if (request !== undefined) addObject(json, 'request', request.fields, runtime.recordFields.request)
  if (response !== undefined) addObject(json, 'response', response.fields, runtime.recordFields.response)
  const egress = moments.egress ?? posted
  json.add(`,"ingress_egress_timer":${timerJson(moments.ingress, egress)}`)
  json.add(`,"egress_post_timer":${timerJson(egress, posted)}`)
  if (errorType !== '') json.add(`,"error_type":${quote(errorType)}`)
  if (cut.length > 0) json.add(`,"cut":${JSON.stringify(cut)}`)
  json.add('}')
  return json.parts()
}

/** Text in the order it comes, neighbouring strings joined: a record has some sixty pieces and four payloads. */
class JsonParts {
  readonly #parts: TextPart[] = []
  #text: string

  constructor(start: string) {
    this.#text = start
  }

  add(part: TextPart): void {
    if (typeof part === 'string') this.#text += part
    else {
      this.#parts.push(this.#text, part)
      this.#text = ''
    }
  }

  parts(): readonly TextPart[] {
    this.#parts.push(this.#text)
    return this.#parts
  }
}

function addObject(json: JsonParts, name: string, fields: Fields, filter: FieldFilter): void {
  json.add(`,"${name}":{`)
  let first = true
  for (const [field, text] of fields) {
    if (!selects(filter, field)) continue
    const key = nextKey(field)
    json.add(first ? key.slice(1) : key)
    json.add(text)
    first = false
  }
  json.add('}')
}

// The same few names in every record; processors add theirs, so their count and their length have a bound.
const keys = new Map<string, string>()
const mostKeys = 1000
const longestKey = 64

/** `,"name":` */
function nextKey(name: string): string {
  const known = keys.get(name)
  if (known !== undefined) return known
  const key = `,${quote(name)}:`
  if (keys.size < mostKeys && name.length <= longestKey) keys.set(name, key)
  return key
}

/** What was cut as it was read, and what is cut now; nearly always nothing. */
function cutNames(before: readonly PayloadName[], now: readonly PayloadName[]): readonly PayloadName[] {
  return now.length === 0 ? before : [...new Set([...before, ...now])]
}

/** What only the finished transaction knows, and what processors were not shown: the session header. */
function completeRequest({ request, moments }: Transaction): void {
  if (request === undefined) return
  const { fields, hidden, ingress, mask, outbound, processors, processorsAsync } = request
  const reached = moments.outbound !== undefined
  // Hidden from processors, and perhaps written over by one.
  if (ingress.headers.has(hidden) || processors.length > 0 || processorsAsync.length > 0) {
    fields.set('ingress_headers', headersJson(ingress.headers, mask))
    fields.set('outbound_headers_discarded', headersJson(outbound.discarded, mask))
  }
  if (!reached) for (const name of ['url', 'url_path']) fields.delete(name)
  fields.set(
    'ingress_outbound_timer',
    timerJson(moments.ingress, moments.outbound ?? moments.egress ?? moments.ingress),
  )
  completeSide(request)
}

function completeResponse({ response, reply, moments, runtime }: Transaction): void {
  if (response === undefined) return
  const { fields, inbound: answer, mask } = response
  if (answer?.headers.has(runtime.sessionHeader.lower)) fields.set('inbound_headers', headersJson(answer.headers, mask))
  const egressHeaders = fields.get('egress_headers')
  if (typeof egressHeaders === 'string') fields.set('egress_headers', withSession(egressHeaders, reply.session))
  if (response.streamed) fields.set('stream', 'true')
  const { outbound, firstByte, inbound, egress } = moments
  if (outbound !== undefined && firstByte !== undefined && response.streamed) {
    fields.set('first_byte_timer', timerJson(outbound, firstByte))
  }
  if (outbound !== undefined && inbound !== undefined) {
    fields.set('outbound_inbound_timer', timerJson(outbound, inbound))
    fields.set('inbound_egress_timer', timerJson(inbound, egress ?? inbound))
  }
  completeSide(response)
}

/** Left out when empty (wire, 3). */
const maps = [
  'ingress_headers',
  'outbound_headers',
  'outbound_headers_removed',
  'outbound_query_parameters',
  'inbound_headers',
  'egress_headers',
  'egress_headers_removed',
] as const

function completeSide(side: Side): void {
  showAccount(side)
  for (const name of maps) if (side.fields.get(name) === '{}') side.fields.delete(name)
}

function withSession(headers: string, session: { canonical: string; value: string }): string {
  const entry = `${quote(session.canonical)}:[${quote(session.value)}]`
  return headers === '{}' ? `{${entry}}` : `${headers.slice(0, -1)},${entry}}`
}

const payloadSides: readonly (readonly ['request' | 'response', PayloadName])[] = [
  ['request', 'outbound_payload'],
  ['request', 'ingress_payload'],
  ['response', 'egress_payload'],
  ['response', 'inbound_payload'],
]

/** Replaces the largest payloads until the record fits; names the replaced. */
function cutToFit(transaction: Transaction, maxBytes: number | undefined): readonly PayloadName[] {
  // Far below the limit, which is every call but a few: nothing needs exact counting.
  if (maxBytes === undefined || mostPayloadBytes(transaction) < maxBytes / 2) return []
  const sizes = new Map<PayloadName, number>()
  for (const [side, name] of payloadSides) {
    const text = transaction[side]?.fields.get(name)
    if (text !== undefined && selects(transaction.runtime.recordFields[side], name)) sizes.set(name, byteLength(text))
  }
  const cuts = chooseCuts(sizes, otherBytes(transaction), maxBytes)
  for (const [side, name] of payloadSides) {
    const text = transaction[side]?.fields.get(name)
    if (text !== undefined && cuts.includes(name)) transaction[side]?.fields.set(name, cutPayload(bytesOf(text)))
  }
  return cuts
}

function mostPayloadBytes(transaction: Transaction): number {
  let bytes = 0
  for (const [side, name] of payloadSides) {
    const text = transaction[side]?.fields.get(name)
    if (text !== undefined) bytes += typeof text === 'string' ? text.length * bytesPerUnit : text.length
  }
  return bytes
}

/** UTF-16 to UTF-8: the most bytes of one unit. */
const bytesPerUnit = 3

/** Room for ids, timers, braces and the message's own headers. */
const frameBytes = 2048

function otherBytes(transaction: Transaction): number {
  const payloads = new Set<string>(payloadSides.map(([, name]) => name))
  let bytes = frameBytes
  for (const side of ['request', 'response'] as const) {
    for (const [name, text] of transaction[side]?.fields ?? []) {
      if (!payloads.has(name)) bytes += name.length + byteLength(text) + 4
    }
  }
  return bytes
}

function byteLength(text: JsonText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length
}

function bytesOf(text: JsonText): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text
}
