import { elapsedMs } from '../clock.ts'
import type { Runtime } from '../config/runtime-config.ts'
import { type ErrorCode, type ErrorType, statusOf, typeOf } from '../errors.ts'
import { usageOf } from '../stream/usage-of.ts'
import { encodeRecord } from './record.ts'
import type { ResponseSide } from './response-side.ts'
import { runAsyncRows } from './run-rows.ts'
import type { Gateway, Moments, Transaction } from './transaction.ts'

/** Answered with one of our own errors; `recorded` is false for what leaves no record. */
export type OwnError = { readonly kind: 'own error'; readonly code: ErrorCode; readonly recorded: boolean }

/** How a transaction ended for its caller. */
export type Ending =
  | OwnError
  | { readonly kind: 'answered'; readonly source: 'control' | 'echo' | 'upstream'; readonly value: unknown }
  | { readonly kind: 'broken stream' }
  | { readonly kind: 'caller left' }

/** After the answer: metrics, async rows of both phases side by side, the record; then everything held is let go. */
export async function finish(transaction: Transaction, ending: Ending, gateway: Gateway): Promise<void> {
  const { moments, request, response, runtime } = transaction
  moments.egress ??= gateway.clock.now()
  const errorType = errorTypeOf(ending, response)
  count(transaction, ending, errorType, gateway)
  if (request !== undefined && response !== undefined) {
    noteStatus(response, ending)
    if (hasRows(runtime) && rowsApply(transaction, ending)) {
      await Promise.all([
        runAsyncRows(gateway, runtime.requestRows, transaction, request),
        runAsyncRows(gateway, runtime.responseRows, transaction, response),
      ])
    }
    if (ending.kind !== 'own error' || ending.recorded) publish(transaction, errorType, gateway)
  }
  gateway.budget.release(transaction.held.bytes)
  transaction.memory?.letGo()
  transaction.copy?.release()
}

function publish(transaction: Transaction, errorType: ErrorType, gateway: Gateway): void {
  gateway.lastTransaction.note(transaction.ids.transactionId, transaction.moments.ingress, errorType)
  if (gateway.records === undefined) return
  const record = encodeRecord(transaction, errorType, gateway.clock.now(), gateway.bus.maxPayload)
  transaction.memory?.hold()
  gateway.records.publish(record, transaction.memory)
}

/** Without any, nothing is waited for: promises cost more than the record's own timers. */
function hasRows({ requestRows, responseRows }: Runtime): boolean {
  return requestRows.length > 0 || responseRows.length > 0
}

/** Async rows belong to calls that were made or answered in their place; what was refused before has nothing to tell. */
function rowsApply(transaction: Transaction, ending: Ending): boolean {
  return transaction.moments.outbound !== undefined || (ending.kind === 'answered' && ending.source === 'control')
}

function errorTypeOf(ending: Ending, response: ResponseSide | undefined): ErrorType {
  switch (ending.kind) {
    case 'own error':
      return typeOf(ending.code)
    case 'broken stream':
      return 'provider_stream'
    case 'caller left':
      return typeOf('CALLER_GONE')
    case 'answered':
      // The LLM API's own status: a processor may have written another for the caller.
      return ending.source === 'upstream' && (response?.inbound?.status ?? 0) >= 400 ? 'provider_error' : ''
    default:
      return ending satisfies never
  }
}

/** The status the record shows; a caller that left got none, whatever was under way (wire, 3). */
function noteStatus(response: ResponseSide, ending: Ending): void {
  const status = ending.kind === 'caller left' ? statusOf('CALLER_GONE') : response.egress.status
  if (status !== response.egress.status) response.fields.set('egress_status_code', String(status))
  if (status !== 200) response.errors.push({ name: 'egress_status_code', details: String(status) })
}

function count(transaction: Transaction, ending: Ending, errorType: ErrorType, gateway: Gateway): void {
  const { moments, route, request, response } = transaction
  const router = route.path
  const egress = moments.egress ?? moments.ingress
  const seconds = elapsedMs(moments.ingress, egress) / 1000
  const upstreamSeconds =
    moments.outbound !== undefined && moments.inbound !== undefined
      ? elapsedMs(moments.outbound, moments.inbound) / 1000
      : undefined
  const status = ending.kind === 'caller left' ? statusOf('CALLER_GONE') : (response?.egress.status ?? 0)
  const overheadSeconds = upstreamSeconds === undefined ? undefined : Math.max(0, seconds - upstreamSeconds)
  gateway.metrics.requestEnded({ router, status, errorType, seconds, overheadSeconds })
  if (ending.kind !== 'answered' || ending.source !== 'upstream' || upstreamSeconds === undefined) return
  const answering = request?.outbound.route.path ?? router
  const secondsToFirstToken = response?.streamed === true ? secondsToFirstByte(moments) : undefined
  gateway.metrics.upstreamAnswered({ router: answering, seconds: upstreamSeconds, secondsToFirstToken })
  countTokens(answering, ending.value, gateway)
}

function secondsToFirstByte({ outbound, firstByte }: Moments): number | undefined {
  return outbound === undefined || firstByte === undefined ? undefined : elapsedMs(outbound, firstByte) / 1000
}

function countTokens(router: string, answer: unknown, gateway: Gateway): void {
  const usage = usageOf(answer)
  if (usage === undefined) return
  if (usage.input !== undefined) gateway.metrics.tokensUsed({ router, type: 'input', tokens: usage.input })
  if (usage.output !== undefined) gateway.metrics.tokensUsed({ router, type: 'output', tokens: usage.output })
}
