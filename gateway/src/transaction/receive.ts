import type { ErrorCode } from '../errors.ts'
import type { HeaderMap } from '../http/headers.ts'
import { parseQuery } from '../http/query.ts'
import type { ReadBodyOptions } from '../http/read-body.ts'
import type { ScanResult } from '../json/scan-result.ts'
import { LeasedMemory } from '../memory/leased-memory.ts'
import type { IngressRequest } from './outbound.ts'
import { createCountedPayload, noPayload, type Payload, payloadContext } from './payload.ts'
import type { Gateway, Transaction } from './transaction.ts'

export type ReceiveResult = { readonly kind: 'received'; readonly payload: Payload } | ReceiveRefusal

/** A refusal; `payload` is the body for the record, where the whole body arrived. */
type ReceiveRefusal = {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message?: string
  readonly payload?: Payload
}

/** Reads the body as bytes and checks that they are JSON (docs/reference/http.md#bodies). */
export async function receive(transaction: Transaction, gateway: Gateway): Promise<ReceiveResult> {
  const { call } = transaction
  const refusal = checkHead(transaction)
  if (refusal !== undefined) return refusal
  if (!call.hasBody) return withoutBody(transaction)
  const body = await call.readBody(readingOf(transaction, gateway))
  if (body.kind === 'caller gone') return { kind: 'refused', code: 'CALLER_GONE' }
  if (body.kind === 'refused') return body
  if (body.bytes.length === 0) return withoutBody(transaction)
  return withBody(transaction, body, gateway)
}

/** Returns the refusal of a body by its head, before it is read. */
export function checkHead({ call, headers, runtime, memory }: Transaction): ReceiveRefusal | undefined {
  if (isEncoded(headers)) {
    return { kind: 'refused', code: 'UNSUPPORTED_MEDIA_TYPE', message: 'A request body must not be compressed.' }
  }
  return call.hasBody ? call.admitBody(runtime.limits, memory) : undefined
}

function readingOf({ runtime, memory }: Transaction, { json, readBudget, work }: Gateway): ReadBodyOptions {
  return { limits: runtime.limits, memory, json, budget: readBudget, work }
}

async function withBody(
  transaction: Transaction,
  { bytes, scanned }: { readonly bytes: Buffer; readonly scanned: ScanResult },
  gateway: Gateway,
): Promise<ReceiveResult> {
  const leased = LeasedMemory.of(bytes)
  if (leased !== undefined) transaction.bodyMemory = { leased, lease: leased.lease() }
  const made = createCountedPayload(bytes, scanned, payloadContext(gateway, transaction.memory))
  const payload = made instanceof Promise ? await made : made
  if (payload === undefined) return { kind: 'refused', code: 'OVERLOADED' }
  if (payload.kind === 'json') return { kind: 'received', payload }
  return { kind: 'refused', payload, ...notJson(transaction, scanned) }
}

/**
 * Returns true for a Content-Encoding, and for a list of transfer codings that ends in chunked: node decodes a lone
 * chunked only. Node's parser refuses lists that don't end in chunked, since the body's end is unknown then. The list is
 * not split, since it may have 58,000 elements.
 */
function isEncoded(headers: HeaderMap): boolean {
  const coding = headers.get('content-encoding')?.values.join(',') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') return true
  // An empty line behind the list changes nothing for node's parser.
  const transfer = headers.get('transfer-encoding')?.values.filter((value) => value.trim() !== '') ?? []
  return /^[ \t,]chunked$/i.test(transfer.join(',').slice(-LISTED_CHUNKED))
}

/** The characters of `chunked` with the end of the element before it. */
const LISTED_CHUNKED = ',chunked'.length

/** Methods that make no sense without a body. */
const needBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

function withoutBody(transaction: Transaction): ReceiveResult {
  if (!needBody.has(transaction.method)) return { kind: 'received', payload: noPayload }
  return { kind: 'refused', code: 'NOT_JSON', message: 'The request body is empty.' }
}

/** Returns 400 where the Content-Type is JSON or missing, 415 for any other type. */
function notJson(transaction: Transaction, { tooDeep }: ScanResult): { code: ErrorCode; message?: string } {
  if (tooDeep) return { code: 'NOT_JSON', message: 'The JSON of the request body is nested too deep.' }
  const type = (transaction.headers.get('content-type')?.values[0] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return { code: 'NOT_JSON' }
  if (!type.startsWith('multipart/')) return { code: 'UNSUPPORTED_MEDIA_TYPE' }
  return { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Only JSON is accepted; multipart bodies are not.' }
}

/**
 * Returns the caller's side. The query is parsed here and not when the body has arrived: a hundred bodies may end at one
 * moment, and a long query takes a millisecond.
 */
export function ingressOf(transaction: Transaction, payload: Payload): IngressRequest {
  const { method, route, subpath, headers } = transaction
  return { method, route, subpath, query: parseQuery(transaction.query), headers, payload }
}
