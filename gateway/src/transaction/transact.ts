import { answerControl, answerEcho, answerError, refuse } from './answer.ts'
import { answerFromUpstream } from './answer-from-upstream.ts'
import { checkIngress, type Permit } from './check-ingress.ts'
import { finish, type TransactionOutcome } from './finish.ts'
import { headSteps } from './head-memory.ts'
import { errorName, logFault, stackTop } from './log-fault.ts'
import { openTransaction } from './open-transaction.ts'
import type { Payload } from './payload.ts'
import { checkHead, ingressOf, receive } from './receive.ts'
import { RequestSide } from './request-side.ts'
import { runSyncRows } from './run-rows.ts'
import type { Call, Gateway, Transaction } from './transaction.ts'

/**
 * Answers one call and publishes its record. The call keeps the configuration that was current at its start. Each early
 * exit is a value, a fault after the answer doesn't reach the caller, and the promise never rejects.
 */
export async function transact(call: Call, gateway: Gateway): Promise<void> {
  try {
    await answerCall(call, gateway)
  } catch (error) {
    // `answerOnFault` doesn't cover opening, refusing and finishing a transaction: a bug there arrives here.
    gateway.logger.error({ name: errorName(error), at: stackTop(error) }, 'call failed')
    call.cut()
  }
}

async function answerCall(call: Call, gateway: Gateway): Promise<void> {
  const opened = openTransaction(call, gateway)
  if (opened.kind === 'refused') return refuse(opened, call, gateway)
  const { transaction } = opened
  const admission = checkIngress(transaction.route, transaction.headers, call.hasBody)
  if (admission.kind === 'refused') return refuse({ ...admission, transaction }, call, gateway)
  // A caller without the router's key gets no place in the line of the router's callers.
  call.noteRouter(transaction.route.path)
  const outcome = await answerOnFault(transaction, gateway, () => exchange(transaction, admission.permit, gateway))
  await finish(transaction, outcome, gateway)
}

async function exchange(transaction: Transaction, permit: Permit, gateway: Gateway): Promise<TransactionOutcome> {
  // A call without room waits for nothing, since its caller may send the next head at once: heads would add up uncounted.
  if (!takeCall(transaction)) return refuseHead(transaction, gateway)
  // While the bus is behind with records, calls wait for room before any record is dropped.
  const room = gateway.records?.waitForRoom(transaction.route.path, transaction.call.bodyBytes)
  if (room !== undefined && !(await room)) {
    return { ...answerError(transaction, 'RECORDS_FULL', gateway), recorded: false }
  }
  transaction.foundRecordRoom = true
  const received = await receive(transaction, gateway)
  const turn = gateway.callTurns.take(transaction.route.path, headSteps(transaction.headBytes))
  if (turn !== undefined) await turn
  if (received.kind === 'refused') {
    if (received.payload !== undefined) transaction.request = createRequestSide(transaction, received.payload)
    return answerError(transaction, received.code, gateway, received.message)
  }
  const request = createRequestSide(transaction, received.payload)
  transaction.request = request
  const passed = runSyncRows(gateway, transaction.runtime.requestRows, transaction, request)
  if (passed !== true && !(await passed)) return answerError(transaction, 'PROCESSOR_REQUIRED', gateway)
  if (request.control !== undefined) return answerControl(transaction, request.control, gateway)
  if (request.outbound.route.target.kind === 'echo') return answerEcho(transaction, request, gateway)
  return answerFromUpstream(transaction, request, permit, gateway)
}

/** Counts the call's connections and its head in the call's memory, which is released at the call's end. */
function takeCall({ call, memory, headBytes }: Transaction): boolean {
  return memory.take(call.connectionBytes + headBytes)
}

function refuseHead(transaction: Transaction, gateway: Gateway): TransactionOutcome {
  const { code, message } = checkHead(transaction) ?? { code: 'OVERLOADED', message: undefined }
  return answerError(transaction, code, gateway, message)
}

function createRequestSide(transaction: Transaction, payload: Payload): RequestSide {
  return new RequestSide(transaction.runtime, ingressOf(transaction, payload), transaction)
}

/** Turns a bug into the end of this call alone: an error answer, or a cut answer where one has begun, and a record. */
async function answerOnFault(
  transaction: Transaction,
  gateway: Gateway,
  run: () => Promise<TransactionOutcome>,
): Promise<TransactionOutcome> {
  try {
    return await run()
  } catch (error) {
    logFault(transaction, error, gateway)
    const { reply } = transaction
    if (reply.progress === 'none') return answerError(transaction, 'INTERNAL', gateway)
    if (reply.progress === 'begun') reply.destroy()
    return { kind: 'gateway error', code: 'INTERNAL', recorded: true }
  }
}
