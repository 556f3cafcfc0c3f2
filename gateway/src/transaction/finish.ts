import type { TokenUsage } from '@llm-gateway/protocol'
import type { RecordMemory } from '../bus/record-memory.ts'
import type { RecordMessage } from '../bus/record-message.ts'
import { elapsedMs } from '../clock.ts'
import type { Runtime } from '../config/runtime-config.ts'
import { type ErrorCode, type ErrorType, statusOf, typeOf } from '../errors.ts'
import type { Lease, LeasedMemory } from '../memory/leased-memory.ts'
import type { Holding } from '../memory/memory-account.ts'
import { logFault } from './log-fault.ts'
import { payloadBytes } from './payload.ts'
import { encodeLeastRecord, encodeRecord } from './record.ts'
import type { ResponseSide } from './response-side.ts'
import { runAsyncRows } from './run-rows.ts'
import type { Gateway, Moments, Transaction } from './transaction.ts'

/** An answer with an error of the gateway; `recorded` is false where the call leaves no record. */
export type OwnError = { readonly kind: 'own error'; readonly code: ErrorCode; readonly recorded: boolean }

/** The outcome of a transaction for its caller. */
export type Ending =
  | OwnError
  | { readonly kind: 'answered'; readonly source: 'control' | 'echo' }
  | { readonly kind: 'answered'; readonly source: 'upstream'; readonly usage: TokenUsage | undefined }
  | { readonly kind: 'broken stream' }
  | { readonly kind: 'caller left' }

/**
 * Counts metrics, runs the async rows of both phases side by side and publishes the record. After that the call holds
 * only the memory of its unsent answer and its record. A fault costs this call details of its record and never reaches
 * the caller.
 */
export async function finish(transaction: Transaction, ending: Ending, gateway: Gateway): Promise<void> {
  if (transaction.sending !== undefined) await transaction.sending
  transaction.moments.egress ??= gateway.clock.now()
  const errorType = errorTypeOf(ending, transaction.response)
  count(transaction, ending, errorType, gateway)
  try {
    const rows = lastRows(transaction, ending, gateway)
    if (rows !== undefined) await rows
  } catch (error) {
    logFault(transaction, error, gateway)
  }
  const kept = isRecorded(transaction, ending) && publish(transaction, errorType, gateway)
  if (!kept) {
    transaction.ticket?.entry?.settle()
    letGo(transaction, 0)
  }
}

/** Returns undefined without async rows, so that `finish` awaits nothing. */
function lastRows(transaction: Transaction, ending: Ending, gateway: Gateway): Promise<unknown> | undefined {
  const { request, response, runtime } = transaction
  if (request === undefined || response === undefined) return undefined
  noteStatus(response, ending)
  if (!hasRows(runtime) || !rowsApply(transaction, ending)) return undefined
  return Promise.all([
    runAsyncRows(gateway, runtime.requestRows, transaction, request),
    runAsyncRows(gateway, runtime.responseRows, transaction, response),
  ])
}

function isRecorded({ request, response }: Transaction, ending: Ending): boolean {
  return request !== undefined && response !== undefined && (ending.kind !== 'own error' || ending.recorded)
}

/** Publishes the record; returns true where the record now holds part of the call's memory and will release it. */
function publish(transaction: Transaction, errorType: ErrorType, gateway: Gateway): boolean {
  gateway.lastTransaction.note(transaction.ids.transactionId, transaction.moments.ingress, errorType)
  const { records, clock } = gateway
  if (records === undefined) return false
  const memory = new RecordHold(transaction)
  try {
    records.publish(encodeRecord(transaction, errorType, clock.now()), memory, transaction.ticket)
  } catch (error) {
    // A record that can't be made is replaced by a smaller one that names the missing halves.
    logFault(transaction, error, gateway)
    records.publish(encodeLeastRecord(transaction, errorType, clock.now()), memory, transaction.ticket)
  }
  return memory.kept
}

/**
 * A record's part of its call's memory; a waiting record keeps neither the transaction nor a body that was cut.
 * RecordHold is a class because each call makes one.
 */
class RecordHold implements RecordMemory {
  readonly #holding: Holding
  /** Set until the record is made. */
  #transaction: Transaction | undefined
  #lease: Lease | undefined
  #bytes = 0

  constructor(transaction: Transaction) {
    this.#holding = transaction.holding
    this.#transaction = transaction
  }

  get kept(): boolean {
    return this.#bytes > 0
  }

  keeps(message: RecordMessage): void {
    const transaction = this.#transaction
    if (transaction === undefined) return
    this.#transaction = undefined
    this.#bytes = message.heldBytes
    const leased = transaction.memory?.leased
    if (leased !== undefined && message.ranges.some(({ buffer }) => leased.holds(buffer))) this.#lease = leased.lease()
    letGo(transaction, this.#bytes)
  }

  interrupted(): void {
    this.#lease?.forfeit()
  }

  letGo(): void {
    this.#lease?.end()
    this.#holding.release(this.#bytes)
  }
}

/**
 * Ends the call's holding except for the bytes of the answer that the socket hasn't taken and the bytes of the record.
 */
function letGo({ holding, memory, reply, response }: Transaction, recordBytes: number): void {
  const unsent = reply.unsentBytes
  holding.add(unsent + recordBytes - holding.bytes)
  if (unsent > 0) {
    const lease = leaseOfAnswer(memory?.leased, response)
    reply.onSent((whole) => {
      holding.release(unsent)
      if (whole) lease?.end()
      else lease?.forfeit()
    })
  }
  memory?.lease.end()
}

/** Returns a lease where the answer contains the request's body, as `/echo/` answers do. */
function leaseOfAnswer(leased: LeasedMemory | undefined, response: ResponseSide | undefined): Lease | undefined {
  if (leased === undefined || response === undefined) return undefined
  return leased.holds(payloadBytes(response.egress.payload)) ? leased.lease() : undefined
}

/**
 * Returns true where there are rows. Calls without rows skip promises, which take longer than the time that the
 * record's timers measure.
 */
function hasRows({ requestRows, responseRows }: Runtime): boolean {
  return requestRows.length > 0 || responseRows.length > 0
}

/**
 * Returns true for calls that reached the LLM API or were answered by a control; async rows don't apply to calls
 * refused earlier.
 */
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
      // Judged by the LLM API's own status, since a processor may have written another for the caller.
      return ending.source === 'upstream' && (response?.inbound?.status ?? 0) >= 400 ? 'provider_error' : ''
    default:
      return ending satisfies never
  }
}

/**
 * Sets the record's status: 499 where the caller left before it had the whole answer
 * (docs/reference/record.md#response).
 */
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
  countTokens(answering, ending.usage, gateway)
}

function secondsToFirstByte({ outbound, firstByte }: Moments): number | undefined {
  return outbound === undefined || firstByte === undefined ? undefined : elapsedMs(outbound, firstByte) / 1000
}

function countTokens(router: string, usage: TokenUsage | undefined, gateway: Gateway): void {
  if (usage?.prompt !== undefined) gateway.metrics.tokensUsed({ router, type: 'input', tokens: usage.prompt })
  if (usage?.completion !== undefined) gateway.metrics.tokensUsed({ router, type: 'output', tokens: usage.completion })
}
