import type { TokenUsage } from '@llm-gateway/protocol'
import type { RecordMemory } from '../bus/record-memory.ts'
import type { RecordMessage } from '../bus/record-message.ts'
import { elapsedMs } from '../clock.ts'
import { type ErrorCode, type ErrorType, statusOf, typeOf } from '../errors.ts'
import type { Lease, LeasedMemory } from '../memory/leased-memory.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import type { BodyFailure } from '../upstream/inbound-body.ts'
import { logFault } from './log-fault.ts'
import { payloadBytes } from './payload.ts'
import { encodeFallbackRecord, encodeRecord } from './record.ts'
import type { ResponseSide } from './response-side.ts'
import { hasRows, runAsyncRows } from './run-rows.ts'
import type { Gateway, Timestamps, Transaction } from './transaction.ts'

/** An answer with an error of the gateway; `recorded` is false where the call leaves no record. */
export type GatewayError = { readonly kind: 'gateway error'; readonly code: ErrorCode; readonly recorded: boolean }

/** An answer of the LLM API. */
export type UpstreamOutcome = {
  readonly kind: 'answered'
  readonly source: 'upstream'
  readonly usage: TokenUsage | undefined
}

/** The outcome of a transaction for its caller. */
export type TransactionOutcome =
  | GatewayError
  | { readonly kind: 'answered'; readonly source: 'control' | 'echo' }
  | UpstreamOutcome
  /** An answer that broke off after its beginning. */
  | { readonly kind: 'broken stream'; readonly code: BodyFailure }
  /** `usage` is that of an LLM API whose answer was whole when the caller left. */
  | { readonly kind: 'caller left'; readonly usage?: TokenUsage | undefined }

/**
 * Counts metrics, runs the async rows of both phases side by side and publishes the record. After that the call holds
 * only the memory of its unsent answer and its record. A fault costs this call details of its record and never reaches
 * the caller.
 */
export async function finish(transaction: Transaction, judged: TransactionOutcome, gateway: Gateway): Promise<void> {
  const isSent = transaction.sending === undefined || (await transaction.sending)
  const outcome = isSent ? judged : withoutCaller(judged)
  transaction.timestamps.egress ??= gateway.clock.now()
  const errorType = errorTypeOf(outcome, transaction.response)
  countMetrics(transaction, outcome, errorType, gateway)
  const isLarge = holdsLargeHead(transaction)
  // Hundreds of calls may fail at one moment. Nobody waits for their records, so that new calls go first.
  if (isLarge && !endsWithHead(transaction, outcome)) await gateway.work.turn(transaction.route.path)
  try {
    const rows = runLastRows(transaction, outcome, gateway)
    if (rows !== undefined) await rows
    // The async processors of hundreds of calls may reply at one moment, too.
    if (rows !== undefined && isLarge) await gateway.work.turn(transaction.route.path)
  } catch (error) {
    logFault(transaction, error, gateway)
  }
  const recorded = isRecorded(transaction, outcome)
  if (!recorded) transaction.ticket?.entry?.settle()
  const kept = recorded && publish(transaction, errorType, gateway)
  if (!kept) releaseMemory(transaction, 0)
}

/** Returns the outcome of a call whose caller left while its record was journalled. */
function withoutCaller(outcome: TransactionOutcome): TransactionOutcome {
  const isUpstream = outcome.kind === 'answered' && outcome.source === 'upstream'
  return { kind: 'caller left', usage: isUpstream ? outcome.usage : undefined }
}

/**
 * Returns true for an echo of a request without a body. It ends in the turn that read its head, or that its head waited
 * for, and such a turn has few large heads: a later turn would only add work. A hundred bodies may end in one turn.
 */
function endsWithHead({ call }: Transaction, outcome: TransactionOutcome): boolean {
  return outcome.kind === 'answered' && outcome.source === 'echo' && !call.hasBody
}

/**
 * Returns true for a large head that the memory account holds. A head without room there doesn't wait for a turn, since
 * its caller may send the next head at once, and waiting heads would add up uncounted.
 */
function holdsLargeHead(transaction: Transaction): boolean {
  const { headBytes, memory } = transaction
  return headBytes > 0 && (memory.bytes > 0 || memory.take(headBytes))
}

/** Returns undefined without async rows, so that `finish` awaits nothing. */
function runLastRows(
  transaction: Transaction,
  outcome: TransactionOutcome,
  gateway: Gateway,
): Promise<unknown> | undefined {
  const { request, response, runtime } = transaction
  if (request === undefined || response === undefined) return undefined
  setRecordedStatus(response, outcome)
  const { requestRows, responseRows } = runtime
  // Calls without rows await nothing, since an await takes longer than the times that the record's timers measure.
  if (!hasRows(requestRows) && !hasRows(responseRows)) return undefined
  if (!rowsApply(transaction, outcome)) return undefined
  return Promise.all([
    runAsyncRows(gateway, runtime.requestRows, transaction, request),
    runAsyncRows(gateway, runtime.responseRows, transaction, response),
  ])
}

function isRecorded({ request, response }: Transaction, outcome: TransactionOutcome): boolean {
  return request !== undefined && response !== undefined && (outcome.kind !== 'gateway error' || outcome.recorded)
}

/** Publishes the record; returns true where the record now holds part of the call's memory and will release it. */
function publish(transaction: Transaction, errorType: ErrorType, gateway: Gateway): boolean {
  gateway.lastTransaction.note(transaction.ids.transactionId, transaction.timestamps.ingress, errorType)
  const { records, clock } = gateway
  if (records === undefined) return false
  const memory = new RecordHold(transaction)
  try {
    const encode = lacksRoom(transaction) ? encodeFallbackRecord : encodeRecord
    records.publish(encode(transaction, errorType, clock.now()), memory, transaction.ticket)
  } catch (error) {
    // A record that can't be made is replaced by a smaller record that names the missing halves.
    logFault(transaction, error, gateway)
    records.publish(encodeFallbackRecord(transaction, errorType, clock.now()), memory, transaction.ticket)
  }
  return memory.kept
}

/**
 * Returns true for a large head for which the memory account had no room. Its record would hold the head until the bus has
 * it: thousands of such records took the memory that the account keeps for other routers.
 */
function lacksRoom({ headBytes, memory }: Transaction): boolean {
  return headBytes > 0 && memory.bytes === 0
}

/**
 * A record's part of its call's memory; a waiting record keeps neither the transaction nor a body that was cut.
 * RecordHold is a class for the reason given at CallerSignal.
 */
class RecordHold implements RecordMemory {
  readonly foundRoom: boolean
  readonly #memory: CallMemory
  /** Set until the record is made. */
  #transaction: Transaction | undefined
  #lease: Lease | undefined
  #bytes = 0

  constructor(transaction: Transaction) {
    this.foundRoom = transaction.foundRecordRoom
    this.#memory = transaction.memory
    this.#transaction = transaction
  }

  get kept(): boolean {
    return this.#bytes > 0
  }

  takeOver(message: RecordMessage): void {
    const transaction = this.#transaction
    if (transaction === undefined) return
    this.#transaction = undefined
    this.#bytes = message.heldBytes
    const leased = transaction.bodyMemory?.leased
    if (leased !== undefined && message.ranges.some(({ buffer }) => leased.holds(buffer))) this.#lease = leased.lease()
    releaseMemory(transaction, this.#bytes)
  }

  interrupt(): void {
    this.#lease?.forfeit()
  }

  release(): void {
    this.#lease?.end()
    this.#memory.release(this.#bytes)
  }
}

/**
 * Releases the call's memory except for the bytes of the answer that the socket hasn't taken and the record's bytes.
 */
function releaseMemory({ memory, bodyMemory, reply, response }: Transaction, recordBytes: number): void {
  const unsent = reply.unsentBytes
  memory.add(unsent + recordBytes - memory.bytes)
  memory.releaseSpare()
  if (unsent > 0) {
    const lease = leaseOfAnswer(bodyMemory?.leased, response)
    reply.onSent((whole) => {
      memory.release(unsent)
      if (whole) lease?.end()
      else lease?.forfeit()
    })
  }
  bodyMemory?.lease.end()
}

/** Returns a lease where the answer contains the request's body, as `/echo/` answers do. */
function leaseOfAnswer(leased: LeasedMemory | undefined, response: ResponseSide | undefined): Lease | undefined {
  if (leased === undefined || response === undefined) return undefined
  return leased.holds(payloadBytes(response.egress.payload)) ? leased.lease() : undefined
}

/**
 * Returns true for calls that were sent to the LLM API, answered by `/echo/` or answered by a control; async rows don't
 * apply to calls refused earlier.
 */
function rowsApply({ timestamps, request }: Transaction, outcome: TransactionOutcome): boolean {
  return timestamps.outbound !== undefined || (outcome.kind !== 'gateway error' && request?.control !== undefined)
}

function errorTypeOf(outcome: TransactionOutcome, response: ResponseSide | undefined): ErrorType {
  switch (outcome.kind) {
    case 'gateway error':
      return typeOf(outcome.code)
    case 'broken stream':
      // The gateway breaks off an answer for which it has no memory; the LLM API isn't at fault then.
      return outcome.code === 'OVERLOADED' ? typeOf(outcome.code) : 'provider_stream'
    case 'caller left':
      return typeOf('CALLER_GONE')
    case 'answered':
      // Judged by the LLM API's own status, since a processor may have written another for the caller.
      return outcome.source === 'upstream' && (response?.inbound?.status ?? 0) >= 400 ? 'provider_error' : ''
    default:
      return outcome satisfies never
  }
}

/**
 * Sets the record's status: 499 where the caller left before it had the whole answer
 * (docs/reference/record.md#response).
 */
function setRecordedStatus(response: ResponseSide, outcome: TransactionOutcome): void {
  const status = outcome.kind === 'caller left' ? statusOf('CALLER_GONE') : response.egress.status
  if (status !== response.egress.status) response.fields.set('egress_status_code', String(status))
  if (status !== 200) response.errors.push({ name: 'egress_status_code', details: String(status) })
}

function countMetrics(
  transaction: Transaction,
  outcome: TransactionOutcome,
  errorType: ErrorType,
  gateway: Gateway,
): void {
  const { timestamps, route, request, response } = transaction
  const router = route.path
  const egress = timestamps.egress ?? timestamps.ingress
  const seconds = elapsedMs(timestamps.ingress, egress) / 1000
  const upstreamSeconds =
    timestamps.outbound !== undefined && timestamps.inbound !== undefined
      ? elapsedMs(timestamps.outbound, timestamps.inbound) / 1000
      : undefined
  const status = outcome.kind === 'caller left' ? statusOf('CALLER_GONE') : (response?.egress.status ?? 0)
  const overheadSeconds = upstreamSeconds === undefined ? undefined : Math.max(0, seconds - upstreamSeconds)
  gateway.metrics.requestEnded({ router, status, errorType, seconds, overheadSeconds })
  const answering = request?.outbound.route.path ?? router
  if (outcome.kind === 'caller left') countTokens(answering, outcome.usage, gateway)
  if (outcome.kind !== 'answered' || outcome.source !== 'upstream' || upstreamSeconds === undefined) return
  const secondsToFirstToken = response?.isStreamed === true ? secondsToFirstByte(timestamps) : undefined
  gateway.metrics.upstreamAnswered({ router: answering, seconds: upstreamSeconds, secondsToFirstToken })
  countTokens(answering, outcome.usage, gateway)
}

function secondsToFirstByte({ outbound, firstByte }: Timestamps): number | undefined {
  return outbound === undefined || firstByte === undefined ? undefined : elapsedMs(outbound, firstByte) / 1000
}

function countTokens(router: string, usage: TokenUsage | undefined, gateway: Gateway): void {
  if (usage?.prompt !== undefined) gateway.metrics.tokensUsed({ router, type: 'input', tokens: usage.prompt })
  if (usage?.completion !== undefined) gateway.metrics.tokensUsed({ router, type: 'output', tokens: usage.completion })
}
