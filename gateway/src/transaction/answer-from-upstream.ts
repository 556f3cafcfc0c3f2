import type { InboundAnswer, UpstreamAnswer } from '../upstream/upstream.ts'
import { answerError, sendWhole, startResponse } from './answer.ts'
import { answerHeadMemory } from './answer-head-memory.ts'
import { type AnswerIntake, openIntake } from './answer-intake.ts'
import type { Permit } from './check-ingress.ts'
import { collectAnswer } from './collect-answer.ts'
import type { TransactionOutcome, UpstreamOutcome } from './finish.ts'
import { journalRecord } from './journal-record.ts'
import { maskLocations } from './mask-locations.ts'
import { outboundPath } from './outbound.ts'
import { passThrough } from './pass-through.ts'
import { payloadBytes } from './payload.ts'
import type { RequestSide } from './request-side.ts'
import type { ResponseSide } from './response-side.ts'
import { needsPayload, runSyncRows } from './run-rows.ts'
import type { Gateway, Transaction } from './transaction.ts'

/**
 * Calls the LLM API and passes the answer on as it arrives. Where a sync response row needs the payload, the answer is
 * collected first (docs/reference/http.md#answers). The permit proves that the call passed the ingress check.
 */
export async function answerFromUpstream(
  transaction: Transaction,
  request: RequestSide,
  _permit: Permit,
  gateway: Gateway,
): Promise<TransactionOutcome> {
  const { call, timestamps, runtime } = transaction
  const { outbound } = request
  const body = payloadBytes(outbound.payload)
  const leased = transaction.bodyMemory?.leased
  timestamps.outbound = gateway.clock.now()
  const answer = await gateway.upstream.send(
    {
      origin: outbound.route.target.origin,
      path: outboundPath(outbound),
      method: transaction.method,
      headers: outbound.headers,
      body,
      memory: leased?.holds(body) === true ? leased : undefined,
      account: transaction.memory,
      headersTimeoutMs: runtime.limits.outboundHeadersTimeoutMs,
      silenceTimeoutMs: runtime.limits.outboundSilenceTimeoutMs,
    },
    call.signal,
  )
  timestamps.firstByte = gateway.clock.now()
  timestamps.inbound = timestamps.firstByte
  try {
    return await answerCaller(transaction, answer, { request, gateway })
  } catch (error) {
    // Without a consumer the bytes of the body would go on to arrive, and would count for ever.
    if (answer.kind === 'answered') answer.inbound.body.abort()
    throw error
  }
}

/** Answers the caller with the LLM API's answer, or with an error. */
async function answerCaller(
  transaction: Transaction,
  answer: UpstreamAnswer,
  { request, gateway }: { readonly request: RequestSide; readonly gateway: Gateway },
): Promise<TransactionOutcome> {
  const { runtime } = transaction
  const { outbound } = request
  const isHeadHeld = answer.kind === 'failed' || takeHead(answer.inbound, transaction)
  const turn = gateway.callTurns.take(transaction.route.path)
  if (turn !== undefined) await turn
  if (answer.kind === 'failed') return answerError(transaction, answer.code, gateway)
  const { inbound } = answer
  if (!isHeadHeld || hasFailed(inbound, transaction)) return answerFailure(transaction, inbound, gateway)
  const headers = maskLocations(inbound.headers, outbound.route.target.addressSecrets, request.mask)
  // Masked addresses are copies, and may be longer than what came.
  if (headers !== inbound.headers) transaction.memory.add(answerHeadMemory(headers))
  const head = { status: inbound.status, headers }
  const side = startResponse(transaction, head, head)
  const isCollected = needsPayload(runtime.responseRows, transaction)
  const intake = openIntake(transaction, inbound.headers, { keepsBytes: isCollected, gateway })
  if (isCollected) return collect(transaction, side, inbound, { intake, gateway })
  const rows = runSyncRows(gateway, runtime.responseRows, transaction, side)
  if (rows !== true) await rows
  // The body may have broken off, or found no room, while the rows ran.
  if (hasFailed(inbound, transaction)) return answerFailure(transaction, inbound, gateway)
  return pass(transaction, side, inbound, { intake, gateway })
}

/**
 * Returns true for a body that failed before anything has left for the caller. The gateway itself has ended the call of
 * a caller that left; its record has what arrived.
 */
function hasFailed({ body }: InboundAnswer, { call }: Transaction): boolean {
  return body.failure !== undefined && !call.signal.cancelled
}

/** Answers with the failure of the body, or with OVERLOADED where there was no room for the head. */
function answerFailure(transaction: Transaction, { body }: InboundAnswer, gateway: Gateway): TransactionOutcome {
  const code = body.failure ?? 'OVERLOADED'
  body.abort()
  return answerError(transaction, code, gateway)
}

/** Counts the answer's head in the call's memory, which is released with the call's other bytes. */
function takeHead({ headers }: InboundAnswer, { memory }: Transaction): boolean {
  const bytes = answerHeadMemory(headers)
  return bytes === 0 || memory.take(bytes)
}

type AnswerContext = { readonly intake: AnswerIntake; readonly gateway: Gateway }

/** Passes the body on as it arrives; the record's payload is made after the end. */
async function pass(
  transaction: Transaction,
  side: ResponseSide,
  inbound: InboundAnswer,
  { intake, gateway }: AnswerContext,
): Promise<TransactionOutcome> {
  const { timestamps, reply } = transaction
  const whole = transaction.method === 'HEAD' ? undefined : inbound.body.takeWhole()
  if (whole !== undefined) {
    const send = (): boolean => sendWhole(transaction, side, gateway, whole)
    const isSentFirst = gateway.records?.journals !== true && send()
    intake.add(whole)
    const outcome = await recordAnswer(side, intake, { gateway, isWhole: true })
    const isSent = isSentFirst || (gateway.records?.journals === true && send())
    return isSent ? outcome : { kind: 'caller left', usage: outcome.usage }
  }
  const length = inbound.headers.get('content-length')?.values[0]
  reply.writeHead(side.egress.status, side.egress.headers.values(), length)
  const holdsEnd = gateway.records?.journals === true
  const passed = await passThrough(inbound.body, reply, {
    intake,
    memory: transaction.memory,
    holdsEnd,
    hasLength: length !== undefined,
    work: gateway.work,
    signal: transaction.call.signal,
    stallTimeoutMs: transaction.runtime.limits.requestIdleTimeoutMs,
  })
  timestamps.inbound = gateway.clock.now()
  timestamps.egress = timestamps.inbound
  const outcome = await recordAnswer(side, intake, { gateway, isWhole: passed.kind === 'complete' })
  switch (passed.kind) {
    case 'complete':
      if (!holdsEnd || (await endJournalled(transaction, passed.last, gateway)) || hasAllEvents(passed, intake))
        return outcome
      return { kind: 'caller left', usage: outcome.usage }
    case 'caller gone':
      return hasAllEvents(passed, intake) ? outcome : { kind: 'caller left' }
    case 'broken':
      side.errors.push({ name: 'outbound', details: passed.code })
      return { kind: 'broken stream', code: passed.code }
    default:
      return passed satisfies never
  }
}

/** Journals the record, then ends the answer; resolves with false where the caller left before its end. */
async function endJournalled(
  transaction: Transaction,
  last: Uint8Array | undefined,
  gateway: Gateway,
): Promise<boolean> {
  const { call, reply } = transaction
  if (!call.signal.cancelled) await journalRecord(transaction, gateway)
  if (call.signal.cancelled) return false
  reply.end(last)
  return true
}

/** Returns true where a caller that left has the last event of its stream: many callers leave before the stream's end. */
function hasAllEvents({ last }: { readonly last?: Uint8Array | undefined }, { hasEnded }: AnswerIntake): boolean {
  return hasEnded && last === undefined
}

/**
 * Makes the record's payload of an answer. New calls go first, since without a journal no caller waits for this work.
 */
async function recordAnswer(
  side: ResponseSide,
  intake: AnswerIntake,
  { gateway, isWhole }: { readonly gateway: Gateway; readonly isWhole: boolean },
): Promise<UpstreamOutcome> {
  await gateway.work.turn(side.memory.router.path)
  const finished = intake.finish()
  const { payload, usage, problem } = finished instanceof Promise ? await finished : finished
  // The coding of a body that broke off ends early too; the call has its own error then.
  if (problem === 'undecodable' || (isWhole && problem === 'truncated'))
    side.errors.push({ name: 'inbound_payload', details: 'UPSTREAM_ENCODING' })
  side.takePayload(payload)
  return { kind: 'answered', source: 'upstream', usage }
}

/** Reads the whole answer, runs the rows and sends the result; an unchanged answer leaves as its original bytes. */
async function collect(
  transaction: Transaction,
  side: ResponseSide,
  inbound: InboundAnswer,
  { intake, gateway }: AnswerContext,
): Promise<TransactionOutcome> {
  const { signal } = transaction.call
  signal.onCancel(() => inbound.body.abort())
  const collected = await collectAnswer(inbound.body, intake, { work: gateway.work, memory: transaction.memory })
  transaction.timestamps.inbound = gateway.clock.now()
  if (signal.cancelled) return answerError(transaction, 'CALLER_GONE', gateway)
  if (collected.kind === 'failed') return answerError(transaction, collected.code, gateway)
  const { payload, usage, problem } = await intake.finish()
  if (problem === 'undecodable' || problem === 'truncated')
    return answerError(transaction, 'UPSTREAM_ENCODING', gateway)
  if (problem !== undefined) return answerError(transaction, problem, gateway)
  side.takePayload(payload)
  await runSyncRows(gateway, transaction.runtime.responseRows, transaction, side)
  const raw = side.egress.payloadWritten ? undefined : intake.bytes()
  if (!sendWhole(transaction, side, gateway, raw)) return { kind: 'caller left', usage }
  return { kind: 'answered', source: 'upstream', usage }
}
