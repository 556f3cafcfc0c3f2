import type { ErrorCode } from '../errors.ts'
import { BodyMemory } from '../http/body-memory.ts'
import type { HeaderMap } from '../http/headers.ts'
import { parseQuery } from '../http/query.ts'
import type { Ingress } from './outbound.ts'
import { noPayload, type Payload } from './payload.ts'
import type { CallLimits, Gateway, Transaction } from './transaction.ts'

export type Received = { readonly kind: 'received'; readonly ingress: Ingress } | Refusal

/** `ingress`: what came, where it came whole, for the record. */
type Refusal = {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message?: string
  readonly ingress?: Ingress
}

/** Reads the body and makes sure it is JSON; nothing but its bytes is kept (specification, 5; wire, 5). */
export async function receive(transaction: Transaction, gateway: Gateway): Promise<Received> {
  const { call, headers, runtime } = transaction
  if (isEncoded(headers)) {
    return { kind: 'refused', code: 'UNSUPPORTED_MEDIA_TYPE', message: 'A request body must not be compressed.' }
  }
  const limits = { requestBytes: runtime.limits.requestBytes, idleTimeoutMs: runtime.limits.requestIdleTimeoutMs }
  const body = call.hasBody ? await readWhole(transaction, limits) : { kind: 'read' as const, bytes: Buffer.alloc(0) }
  if (body.kind === 'caller gone') return { kind: 'refused', code: 'CALLER_GONE' }
  if (body.kind === 'refused') return body
  if (body.bytes.length === 0) return withoutBody(transaction)
  transaction.memory = BodyMemory.of(body.bytes)
  const payload: Payload = { kind: gateway.json.scan(body.bytes, runtime.limits.jsonDepth).kind, bytes: body.bytes }
  const ingress = ingressOf(transaction, payload)
  return payload.kind === 'json' ? { kind: 'received', ingress } : { kind: 'refused', ingress, ...notJson(transaction) }
}

/**
 * Content-Encoding, or a transfer coding below chunked, which node leaves on the body. Where chunked isn't the last one
 * nobody knows where the body ends: the parser refuses that.
 */
function isEncoded(headers: HeaderMap): boolean {
  const coding = headers.get('content-encoding')?.values.join(',') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') return true
  const transfer = headers.get('transfer-encoding')?.values.join(',').toLowerCase() ?? 'chunked'
  if (transfer === 'chunked') return false
  const codings = transfer.split(',').flatMap((name) => name.trim() || [])
  return codings.length > 1 && codings.at(-1) === 'chunked'
}

async function readWhole({ call, held }: Transaction, limits: CallLimits) {
  return call.admitBody(limits, held) ?? (await call.readBody(limits, held))
}

/** Methods that mean something only with a body. */
const needBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

function withoutBody(transaction: Transaction): Received {
  if (!needBody.has(transaction.method)) return { kind: 'received', ingress: ingressOf(transaction, noPayload) }
  return { kind: 'refused', code: 'NOT_JSON', message: 'The request body is empty.' }
}

/** 400 where the caller says it is JSON or says nothing, 415 where it says it is something else. */
function notJson(transaction: Transaction): { code: ErrorCode; message?: string } {
  const type = (transaction.headers.get('content-type')?.values[0] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return { code: 'NOT_JSON' }
  if (!type.startsWith('multipart/')) return { code: 'UNSUPPORTED_MEDIA_TYPE' }
  return { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Only JSON is accepted; multipart bodies are not.' }
}

function ingressOf(transaction: Transaction, payload: Payload): Ingress {
  const { method, route, subpath, headers } = transaction
  return { method, route, subpath, query: parseQuery(transaction.query), headers, payload }
}

/** The ingress side where no body was taken, for the record of a refusal. */
export function ingressWithoutBody(transaction: Transaction): Ingress {
  return ingressOf(transaction, noPayload)
}
