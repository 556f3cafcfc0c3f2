import { payloadRank } from '../bus/cut-payload.ts'
import { CUTTABLE_BYTES, CuttablePart, type RecordText } from '../bus/record-message.ts'
import { type Instant, timerJson } from '../clock.ts'
import { type FieldFilter, selects } from '../config/runtime-config.ts'
import type { ErrorType } from '../errors.ts'
import { quote } from '../json/quote.ts'
import type { Fields } from '../pipeline/fields.ts'
import { type Side, writeOutcomeFields } from '../pipeline/side.ts'
import { headersJson } from './mask.ts'
import { type JsonText, OversizedText } from './payload.ts'
import type { Transaction } from './transaction.ts'

/**
 * Encodes the record of a finished transaction as parts of its JSON (docs/reference/record.md). Payload bytes are
 * spliced in, neither copied nor parsed. Large values can still be cut where the bus would refuse the record.
 */
export function encodeRecord(transaction: Transaction, errorType: ErrorType, posted: Instant): RecordText {
  completeRequest(transaction)
  completeResponse(transaction)
  const { ids, timestamps, route, runtime, request, response } = transaction
  const json = new RecordParts(route.path, idsJson(ids))
  if (request !== undefined) addObject(json, 'request', request.fields, runtime.recordFields.request)
  if (response !== undefined) addObject(json, 'response', response.fields, runtime.recordFields.response)
  const egress = timestamps.egress ?? posted
  json.add(`,"ingress_egress_timer":${timerJson(timestamps.ingress, egress)}`)
  json.add(`,"egress_post_timer":${timerJson(egress, posted)}`)
  if (errorType !== '') json.add(`,"error_type":${quote(errorType)}`)
  return json.finish()
}

/** Encodes a smaller record where the full one failed: ids, router, status and times; `cut` names both halves. */
export function encodeFallbackRecord(transaction: Transaction, errorType: ErrorType, posted: Instant): RecordText {
  const { ids, timestamps, route, response } = transaction
  const json = new RecordParts(route.path, idsJson(ids))
  json.add(`,"request":{"gl_path":${quote(route.path)}}`)
  json.add(`,"response":{"egress_status_code":${response?.egress.status ?? 0}}`)
  json.add(`,"ingress_egress_timer":${timerJson(timestamps.ingress, timestamps.egress ?? posted)}`)
  json.add(`,"error_type":${quote(errorType === '' ? 'gateway_internal' : errorType)}`)
  return { ...json.finish(), cut: ['request', 'response'] }
}

function idsJson({ sessionId, transactionId }: Transaction['ids']): string {
  return `{"session_id":${quote(sessionId)},"transaction_id":${quote(transactionId)}`
}

/**
 * Collects a record's text in order. Neighbouring strings are joined: a record has some sixty strings and four
 * payloads.
 */
class RecordParts {
  readonly #router: string
  readonly #parts: (string | Uint8Array | CuttablePart)[] = []
  readonly #cut: CutValue[] = []
  #text: string

  constructor(router: string, start: string) {
    this.#router = router
    this.#text = start
  }

  add(text: string): void {
    this.#text += text
  }

  addValue(name: string, value: JsonText): void {
    if (typeof value === 'string') {
      this.#text += value
    } else if (value instanceof OversizedText) {
      this.#text += value.cutJson
      this.#cut.push({ name, bytes: value.bytes })
    } else {
      this.#parts.push(this.#text, value.length < CUTTABLE_BYTES ? value : new CuttablePart(name, value))
      this.#text = ''
    }
  }

  finish(): RecordText {
    this.#parts.push(this.#text)
    return { router: this.#router, parts: this.#parts, cut: this.#cut.length === 0 ? none : cutOrder(this.#cut) }
  }
}

type CutValue = { readonly name: string; readonly bytes: number }

const none: readonly string[] = []

/** Returns each name once, largest value first, the order in which the bus's limit would have cut them. */
function cutOrder(values: readonly CutValue[]): readonly string[] {
  const sorted = values.toSorted((a, b) => b.bytes - a.bytes || payloadRank(a.name) - payloadRank(b.name))
  return [...new Set(sorted.map(({ name }) => name))]
}

function addObject(json: RecordParts, name: string, fields: Fields, filter: FieldFilter): void {
  json.add(`,"${name}":{`)
  let first = true
  for (const [field, text] of fields) {
    if (!selects(filter, field)) continue
    const key = nextKey(field)
    json.add(first ? key.slice(1) : key)
    json.addValue(field, text)
    first = false
  }
  json.add('}')
}

// Keys are cached because all records use the same few keys. Processors add names, so number and length are bounded.
const keys = new Map<string, string>()
const maxKeys = 1000
const longestKey = 64

/** Returns `,"name":`. */
function nextKey(name: string): string {
  const known = keys.get(name)
  if (known !== undefined) return known
  const key = `,${quote(name)}:`
  if (keys.size < maxKeys && name.length <= longestKey) keys.set(name, key)
  return key
}

/** Adds the fields known only after the call, and the session header, which processors don't see. */
function completeRequest({ request, timestamps }: Transaction): void {
  if (request === undefined) return
  const { fields, hidden, ingress, mask, outbound, processors, processorsAsync } = request
  const reached = timestamps.outbound !== undefined
  // Processors don't see the session header, and may have overwritten these fields.
  if (ingress.headers.has(hidden) || processors.length > 0 || processorsAsync.length > 0) {
    fields.set('ingress_headers', headersJson(ingress.headers, mask))
    fields.set('outbound_headers_discarded', headersJson(outbound.discarded, mask))
  }
  if (!reached) for (const name of ['url', 'url_path']) fields.delete(name)
  fields.set(
    'ingress_outbound_timer',
    timerJson(timestamps.ingress, timestamps.outbound ?? timestamps.egress ?? timestamps.ingress),
  )
  completeSide(request)
}

function completeResponse({ response, reply, timestamps, runtime }: Transaction): void {
  if (response === undefined) return
  const { fields, inbound: answer, mask } = response
  if (answer?.headers.has(runtime.sessionHeader.lower)) fields.set('inbound_headers', headersJson(answer.headers, mask))
  const egressHeaders = fields.get('egress_headers')
  if (typeof egressHeaders === 'string') fields.set('egress_headers', withSession(egressHeaders, reply.session))
  if (response.isStreamed) fields.set('stream', 'true')
  const { outbound, firstByte, inbound, egress } = timestamps
  if (outbound !== undefined && firstByte !== undefined && response.isStreamed) {
    fields.set('first_byte_timer', timerJson(outbound, firstByte))
  }
  if (outbound !== undefined && inbound !== undefined) {
    fields.set('outbound_inbound_timer', timerJson(outbound, inbound))
    fields.set('inbound_egress_timer', timerJson(inbound, egress ?? inbound))
  }
  completeSide(response)
}

/** Fields that a record leaves out when they are empty (docs/reference/record.md#shared-forms). */
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
  writeOutcomeFields(side)
  for (const name of maps) if (side.fields.get(name) === '{}') side.fields.delete(name)
}

function withSession(headers: string, session: { canonical: string; value: string }): string {
  const entry = `${quote(session.canonical)}:[${quote(session.value)}]`
  return headers === '{}' ? `{${entry}}` : `${headers.slice(0, -1)},${entry}}`
}
