import type { ErrorCode } from '../errors.ts'
import { NOT_HTTP } from '../http/client-errors.ts'
import { isLongConnection, readHeaders } from '../http/headers.ts'
import type { Reply } from '../http/reply.ts'
import { headMemory } from './head-memory.ts'
import { matchRoute } from './match-route.ts'
import type { Call, Gateway, Transaction } from './transaction.ts'

export type OpenResult =
  | { readonly kind: 'opened'; readonly transaction: Transaction }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message?: string
      readonly reply: Reply
      readonly isAnthropic: boolean
    }

const LONG_CONNECTION = 'The header Connection is too long.'

/** Pins the configuration, makes the ids, finds the router (docs/reference/http.md#order-of-checks). */
export function openTransaction(call: Call, gateway: Gateway): OpenResult {
  const runtime = gateway.live.current
  const ingress = gateway.clock.now()
  const headers = readHeaders(call.rawHeaders)
  const ids = gateway.ids.next(runtime.gatewayId, headers.get(runtime.sessionHeader.lower)?.values)
  const session = { canonical: runtime.sessionHeader.canonical, value: ids.transactionId }
  const reply = call.createReply(session, runtime.limits.requestIdleTimeoutMs)
  const isAnthropic = headers.has('anthropic-version')
  if (!call.hasValidHost) return { kind: 'refused', code: 'BAD_PATH', message: NOT_HTTP, reply, isAnthropic }
  if (call.method === 'TRACE' || call.method === 'CONNECT' || headers.has('upgrade')) {
    return { kind: 'refused', code: 'METHOD_NOT_ALLOWED', reply, isAnthropic }
  }
  if (isLongConnection(headers.get('connection')?.values ?? '')) {
    return { kind: 'refused', code: 'HEADERS_TOO_LARGE', message: LONG_CONNECTION, reply, isAnthropic }
  }
  const match = matchRoute(runtime.routes, call.target)
  if (match.kind === 'refused') return { ...match, reply, isAnthropic }
  const { route, subpath, query } = match
  const timestamps = { ingress, outbound: undefined, firstByte: undefined, inbound: undefined, egress: undefined }
  const parts = {
    runtime,
    ids,
    method: call.method,
    route,
    subpath,
    query,
    headers,
    call,
    reply,
    timestamps,
    isAnthropic,
    headBytes: headMemory({ call, route }),
  }
  return {
    kind: 'opened',
    transaction: {
      ...parts,
      memory: gateway.account.open(route.path, call.share),
      bodyMemory: undefined,
      request: undefined,
      foundRecordRoom: false,
      ticket: undefined,
      sending: undefined,
      response: undefined,
    },
  }
}
