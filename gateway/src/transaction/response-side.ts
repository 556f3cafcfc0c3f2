import type { RowProcessor, RuntimeConfig } from '../config/runtime-config.ts'
import { connectionNames, type Header, type HeaderMap, hopByHop } from '../http/headers.ts'
import { decodeString } from '../json/decode-string.ts'
import { quote } from '../json/quote.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { type Fields, longTextBytes } from '../pipeline/fields.ts'
import { type FieldWrite, type JsonValue, parseMap, parseWithin, SINGLE_VALUE } from '../pipeline/reply-value.ts'
import type { ErrorEntry, Side, WriteEffect, WriteResult } from '../pipeline/side.ts'
import { headersJson, type Mask } from './mask.ts'
import { jsonContentType, mergeHeaders, payloadHeaders } from './merge-headers.ts'
import { jsonPayload, noPayload, type Payload, payloadJson } from './payload.ts'

/** The answer as it reaches the caller. */
export type Egress = {
  readonly status: number
  readonly headers: HeaderMap
  readonly payload: Payload
  /** True once a processor wrote the payload; the LLM API's bytes are outdated then. */
  readonly payloadWritten: boolean
}

export type ResponseSideOptions = {
  readonly routePath: string
  readonly originalPath: string | undefined
  readonly mask: Mask
  readonly memory: CallMemory
  /** Status and headers of the LLM API or of `/echo/`; undefined for a control and for an error of the gateway. */
  readonly inbound: { readonly status: number; readonly headers: HeaderMap } | undefined
  readonly egress: { readonly status: number; readonly headers: HeaderMap }
}

/** The response half of a transaction: the answer, and the fields that processors see and write. */
export class ResponseSide implements Side {
  readonly phase = 'response'
  readonly mask: Mask
  readonly memory: CallMemory
  readonly turnSteps = 1
  /** True where the LLM API answered with server-sent events. */
  readonly isStreamed: boolean
  /** Status and headers of the LLM API or of `/echo/`; undefined without their answer. */
  readonly inbound: ResponseSideOptions['inbound']
  readonly control = undefined
  readonly processors: string[] = []
  readonly processorsAsync: string[] = []
  readonly errors: ErrorEntry[] = []
  egress: Egress
  readonly #runtime: RuntimeConfig
  readonly #start: ResponseSideOptions
  readonly #removed: readonly string[]
  #hasPayload = false
  #fields: Fields | undefined
  #effects: ReadonlyMap<string, WriteEffect> | undefined

  constructor(runtime: RuntimeConfig, start: ResponseSideOptions) {
    const { headers, removed } = egressHeaders(runtime, start.egress.headers)
    this.mask = start.mask
    this.memory = start.memory
    this.isStreamed = isEventStream(start.inbound?.headers)
    this.inbound = start.inbound
    this.egress = { status: start.egress.status, headers, payload: noPayload, payloadWritten: false }
    this.#runtime = runtime
    this.#start = start
    this.#removed = removed
  }

  /** Made at the first read, by a processor's message, a write effect or the record. */
  get fields(): Fields {
    if (this.#fields === undefined) {
      this.#fields = this.#startFields()
      const bytes = longTextBytes(this.#fields)
      if (bytes > 0) this.memory.add(bytes)
      if (this.#hasPayload) this.#showPayload(this.#fields)
    }
    return this.#fields
  }

  get jsonDepth(): number {
    return this.#runtime.limits.jsonDepth
  }

  get effects(): ReadonlyMap<string, WriteEffect> {
    this.#effects ??= effectsOn(this, this.#runtime)
    return this.#effects
  }

  /** Takes the answer's body; inbound and egress payload are the same until a processor writes the latter. */
  takePayload(payload: Payload): void {
    this.egress = { ...this.egress, payload }
    this.#hasPayload = true
    if (this.#fields !== undefined) this.#showPayload(this.#fields)
  }

  #startFields(): Fields {
    const { routePath, originalPath, inbound } = this.#start
    const fields: Fields = new Map([['gl_path', quote(routePath)]])
    if (originalPath !== undefined) fields.set('original_gl_path', quote(originalPath))
    if (inbound !== undefined) fields.set('inbound_status_code', String(inbound.status))
    fields.set('egress_status_code', String(this.egress.status))
    if (inbound !== undefined)
      fields.set('inbound_headers', headersJson(inbound.headers, this.mask, this.#runtime.sessionHeader.lower))
    fields.set('egress_headers', headersJson(this.egress.headers, this.mask))
    fields.set('egress_headers_removed', `{${this.#removed.map((name) => `${quote(name)}:[]`).join(',')}}`)
    return fields
  }

  #showPayload(fields: Fields): void {
    const json = payloadJson(this.egress.payload)
    if (this.inbound !== undefined) fields.set('inbound_payload', json)
    fields.set('egress_payload', json)
  }
}

function effectsOn(side: ResponseSide, runtime: RuntimeConfig): ReadonlyMap<string, WriteEffect> {
  return new Map<string, WriteEffect>([
    ['egress_payload', (written) => writePayload(side, written)],
    ['egress_headers', ({ value }, processor) => writeHeaders(runtime, side, { value, processor })],
    ['egress_status_code', ({ value }) => writeStatus(side, value)],
  ])
}

/** Returns true where the Content-Type is text/event-stream. */
export function isEventStream(headers: HeaderMap | undefined): boolean {
  return headers?.get('content-type')?.values[0]?.toLowerCase().startsWith('text/event-stream') ?? false
}

type EgressHeaders = { readonly headers: HeaderMap; readonly removed: readonly string[] }

function egressHeaders(runtime: RuntimeConfig, inbound: HeaderMap): EgressHeaders {
  const listed = connectionNames(inbound)
  const headers = new Map<string, Header>()
  const removed: string[] = []
  for (const header of inbound.values()) {
    const { lower } = header
    if (runtime.removeHeaders.has(lower)) removed.push(header.canonical)
    // Each connection sets its own content-length; the session header is the gateway's own.
    else if (lower === 'content-length' || lower === runtime.sessionHeader.lower) continue
    else if (!hopByHop.has(lower) && !listed.has(lower)) headers.set(lower, header)
  }
  return { headers, removed }
}

const QUOTE = 0x22

/**
 * Takes a written `egress_payload`: a string that replaces a text payload stays text, every other value is JSON
 * (docs/reference/bus.md#fields-with-an-effect).
 */
async function writePayload(side: ResponseSide, { value, slice }: FieldWrite): Promise<WriteResult> {
  const { json } = value
  const isText = json[0] === QUOTE && side.egress.payload.kind === 'text'
  const payload: Payload = isText
    ? { kind: 'text', bytes: await decodeString(json, slice), shown: json }
    : jsonPayload(json)
  side.egress = { ...side.egress, payload, payloadWritten: true }
  setHeaders(side, side.egress.headers)
  return { kind: 'taken', json }
}

/** Sets the egress headers; the headers of a changed payload fit its new form, whichever field was written first. */
function setHeaders(side: ResponseSide, wanted: HeaderMap): void {
  const headers = side.egress.payloadWritten ? payloadHeaders(wanted, contentTypeOf(side, wanted)) : wanted
  side.egress = { ...side.egress, headers }
  side.fields.set('egress_headers', headersJson(headers, side.mask))
}

/**
 * JSON becomes application/json, an event stream stays one, and a text keeps its type unless a processor sets another.
 */
function contentTypeOf(side: ResponseSide, wanted: HeaderMap): Header | undefined {
  const original = side.inbound?.headers.get('content-type')
  if (side.egress.payload.kind === 'text') return wanted.get('content-type') ?? original
  return side.isStreamed ? original : jsonContentType
}

type ProcessorWrite = { readonly value: JsonValue; readonly processor: RowProcessor }

function writeHeaders(runtime: RuntimeConfig, side: ResponseSide, { value, processor }: ProcessorWrite): WriteResult {
  const map = parseMap(value, side.memory)
  if (map === undefined) return { kind: 'ignored', error: 'too large: egress_headers' }
  const written = mergeHeaders(map, side.egress.headers, (lower) => {
    const isOurs = lower === runtime.sessionHeader.lower || lower === 'content-encoding'
    return isOurs || side.mask.masksHeader(lower) || hopByHop.has(lower)
  })
  if (written === undefined) return { kind: 'ignored', error: 'not a map: egress_headers' }
  for (const details of written.errors) side.errors.push({ name: processor.name, details })
  setHeaders(side, written.headers)
  return { kind: 'taken', json: headersJson(side.egress.headers, side.mask) }
}

function writeStatus(side: ResponseSide, value: JsonValue): WriteResult {
  const status = parseWithin(value, SINGLE_VALUE)
  if (status === undefined) return { kind: 'ignored', error: 'too large: egress_status_code' }
  if (!isStatusCode(status)) return { kind: 'ignored' }
  side.egress = { ...side.egress, status }
  return { kind: 'taken', json: String(status) }
}

/** Returns true for an integer from 200 to 599, the range that a processor may set. */
export function isStatusCode(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599
}
