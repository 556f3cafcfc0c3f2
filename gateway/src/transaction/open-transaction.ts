import type { ErrorCode } from '../errors.ts'
import { readHeaders } from '../http/headers.ts'
import { notHttp } from '../http/port-answer.ts'
import type { Reply } from '../http/reply.ts'
import { matchRoute } from './match-route.ts'
import type { Call, Gateway, Transaction } from './transaction.ts'

export type Opened =
  | { readonly kind: 'opened'; readonly transaction: Transaction }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message?: string
      readonly reply: Reply
      readonly anthropic: boolean
    }

/** Pins the configuration, makes the ids, finds the router (docs/reference/http.md#order-of-checks). */
export function openTransaction(call: Call, gateway: Gateway): Opened {
  const runtime = gateway.live.current
  const ingress = gateway.clock.now()
  const headers = readHeaders(call.rawHeaders)
  const ids = gateway.ids.next(runtime.gatewayId, headers.get(runtime.sessionHeader.lower)?.values)
  const session = { canonical: runtime.sessionHeader.canonical, value: ids.transactionId }
  const reply = call.createReply(session, runtime.limits.requestIdleTimeoutMs)
  const anthropic = headers.has('anthropic-version')
  if (!call.namesHost) return { kind: 'refused', code: 'BAD_PATH', message: notHttp, reply, anthropic }
  if (call.method === 'TRACE' || call.method === 'CONNECT' || headers.has('upgrade')) {
    return { kind: 'refused', code: 'METHOD_NOT_ALLOWED', reply, anthropic }
  }
  const match = matchRoute(runtime.routes, call.target)
  if (match.kind === 'refused') return { ...match, reply, anthropic }
  const { route, subpath, query } = match
  const moments = { ingress, outbound: undefined, firstByte: undefined, inbound: undefined, egress: undefined }
  const parts = { runtime, ids, method: call.method, route, subpath, query, headers, call, reply, moments, anthropic }
  return {
    kind: 'opened',
    transaction: {
      ...parts,
      holding: gateway.account.open(route.path, call.share),
      memory: undefined,
      request: undefined,
      isKept: false,
      ticket: undefined,
      sending: undefined,
      response: undefined,
    },
  }
}
