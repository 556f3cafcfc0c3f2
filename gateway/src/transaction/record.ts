import { chooseCuts, cutPayload, type PayloadName } from '../bus/cut-record.ts'
import { type Instant, timerJson } from '../clock.ts'
import { type FieldFilter, selects } from '../config/runtime-config.ts'
import type { ErrorType } from '../errors.ts'
import { showAccount } from '../pipeline/account.ts'
import { type Fields, joinJson } from '../pipeline/fields.ts'
import type { Side } from '../pipeline/side.ts'
import { headersJson, quote } from './mask.ts'
import type { JsonText } from './payload.ts'
import type { Transaction } from './transaction.ts'

/**
 * The record of a finished transaction as JSON (wire, 3): payload bytes are spliced as they came, in one allocation.
 * Where the bus would refuse its size (`maxBytes`), the largest payloads are cut and named in `cut`.
 */
export function encodeRecord(
  transaction: Transaction,
  errorType: ErrorType,
  posted: Instant,
  maxBytes: number | undefined,
): Uint8Array {
  completeRequest(transaction)
  completeResponse(transaction)
  const cut = new Set([...(transaction.response?.cut ?? []), ...cutToFit(transaction, maxBytes)])
  const { ids, moments, runtime, request, response } = transaction
  const parts: JsonText[] = [`{"session_id":${quote(ids.sessionId)},"transaction_id":${quote(ids.transactionId)}`]
  if (request !== undefined) addObject(parts, 'request', request.fields, runtime.recordFields.request)
  if (response !== undefined) addObject(parts, 'response', response.fields, runtime.recordFields.response)
  const egress = moments.egress ?? posted
  parts.push(`,"ingress_egress_timer":${timerJson(moments.ingress, egress)}`)
  parts.push(`,"egress_post_timer":${timerJson(egress, posted)}`)
  if (errorType !== '') parts.push(`,"error_type":${quote(errorType)}`)
  if (cut.size > 0) parts.push(`,"cut":${JSON.stringify([...cut])}`)
  parts.push('}')
  return joinJson(parts)
}

function addObject(parts: JsonText[], name: string, fields: Fields, filter: FieldFilter): void {
  parts.push(`,"${name}":{`)
  let first = true
  for (const [field, text] of fields) {
    if (!selects(filter, field)) continue
    parts.push(`${first ? '' : ','}${quote(field)}:`, text)
    first = false
  }
  parts.push('}')
}

/** What only the finished transaction knows, and what processors were not shown: the session header. */
function completeRequest({ request, moments }: Transaction): void {
  if (request === undefined) return
  const { fields, ingress, mask, outbound } = request
  const reached = moments.outbound !== undefined
  fields.set('ingress_headers', headersJson(ingress.headers, mask))
  fields.set('outbound_headers_discarded', headersJson(outbound.discarded, mask))
  if (!reached) for (const name of ['url', 'url_path']) fields.delete(name)
  fields.set(
    'ingress_outbound_timer',
    timerJson(moments.ingress, moments.outbound ?? moments.egress ?? moments.ingress),
  )
  completeSide(request)
}

function completeResponse({ response, reply, moments }: Transaction): void {
  if (response === undefined) return
  const { fields } = response
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
  if (maxBytes === undefined) return []
  const sizes = new Map<PayloadName, number>()
  for (const [side, name] of payloadSides) {
    const text = transaction[side]?.fields.get(name)
    if (text !== undefined && selects(transaction.runtime.recordFields[side], name)) sizes.set(name, byteLength(text))
  }
  const payloads = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  // Far below the limit, which is every call but a few: the rest needs no counting.
  if (payloads < maxBytes / 2) return []
  const cuts = chooseCuts(sizes, otherBytes(transaction), maxBytes)
  for (const [side, name] of payloadSides) {
    const text = transaction[side]?.fields.get(name)
    if (text !== undefined && cuts.includes(name)) transaction[side]?.fields.set(name, cutPayload(bytesOf(text)))
  }
  return cuts
}

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
