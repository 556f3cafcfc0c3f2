import { type ErrorCode, errorBody, statusOf, typeOf } from '../errors.ts'
import { Header, type HeaderMap } from '../http/headers.ts'
import type { Fields } from '../pipeline/fields.ts'
import { completionChunk } from '../stream/completion-chunk.ts'
import type { Control } from './control.ts'
import { finish, type GatewayError, type TransactionOutcome } from './finish.ts'
import { journalRecord } from './journal-record.ts'
import { jsonContentType } from './merge-headers.ts'
import type { OpenResult } from './open-transaction.ts'
import { jsonPayload, noPayload, payloadBytes } from './payload.ts'
import { ingressOf } from './receive.ts'
import { RequestSide } from './request-side.ts'
import { ResponseSide, type ResponseSideOptions } from './response-side.ts'
import { runSyncRows } from './run-rows.ts'
import type { Call, Gateway, Transaction } from './transaction.ts'

export type RefusedCall =
  | Extract<OpenResult, { kind: 'refused' }>
  | { readonly code: ErrorCode; readonly message?: string; readonly transaction: Transaction }

/**
 * Answers a request that opened no transaction or failed its ingress check. Only a failed ingress check can leave a
 * record.
 */
export async function refuse(refused: RefusedCall, call: Call, gateway: Gateway): Promise<void> {
  if ('transaction' in refused) {
    const { transaction } = refused
    // A refused key counts as refused even where its caller has left.
    const outcome = sendError(transaction, refused.code, gateway, refused.message)
    keepStatusOnly(transaction.response?.fields)
    return finish(transaction, { ...outcome, recorded: transaction.runtime.logUnauthorized }, gateway)
  }
  call.refuseBody()
  const { code, message, reply, isAnthropic } = refused
  reply.send(statusOf(code), [jsonContentType], Buffer.from(errorBody(code, message, isAnthropic)))
  gateway.metrics.requestEnded({
    router: 'none',
    status: statusOf(code),
    errorType: typeOf(code),
    seconds: 0,
    overheadSeconds: undefined,
  })
}

/**
 * Removes all response fields but the status, since the record of a refused call has only the request side and the
 * status (docs/reference/record.md#which-calls-have-a-record).
 */
function keepStatusOnly(fields: Fields | undefined): void {
  for (const name of fields?.keys() ?? []) if (name !== 'egress_status_code') fields?.delete(name)
}

/**
 * Answers with an error of the gateway: a JSON body, or for a failure of the LLM API's connection an empty body and the
 * header Gateway-Error. A caller that has left gets no answer, whatever failed after that: the error is CALLER_GONE, and
 * the connection is cut.
 */
export function answerError(
  transaction: Transaction,
  code: ErrorCode,
  gateway: Gateway,
  message?: string,
): GatewayError {
  return sendError(transaction, transaction.call.signal.cancelled ? 'CALLER_GONE' : code, gateway, message)
}

function sendError(transaction: Transaction, code: ErrorCode, gateway: Gateway, message?: string): GatewayError {
  const { call, reply } = transaction
  if (code !== 'CALLER_GONE') call.refuseBody()
  const upstream = code.startsWith('UPSTREAM_')
  const headers = upstream ? [header('gateway-error', code)] : [jsonContentType]
  if (code === 'OVERLOADED' || code === 'RECORDS_FULL') headers.push(header('retry-after', '1'))
  const side = startResponse(transaction, undefined, { status: statusOf(code), headers: mapOf(headers) })
  const text = upstream || code === 'CALLER_GONE' ? undefined : errorBody(code, message, transaction.isAnthropic)
  side.takePayload(text === undefined ? noPayload : jsonPayload(Buffer.from(text)))
  if (upstream) side.errors.push({ name: 'outbound', details: code })
  if (code === 'CALLER_GONE') reply.destroy()
  else sendWhole(transaction, side, gateway)
  return { kind: 'gateway error', code, recorded: true }
}

/**
 * Answers with a processor's control in place of the LLM API; response rows run too
 * (docs/reference/bus.md#fields-with-an-effect).
 */
export async function answerControl(
  transaction: Transaction,
  control: Control,
  gateway: Gateway,
): Promise<TransactionOutcome> {
  const headers = new Map<string, Header>([['content-type', jsonContentType], ...control.headers])
  const side = startResponse(transaction, undefined, { status: control.status, headers })
  side.takePayload(jsonPayload(control.json))
  await runSyncRows(gateway, transaction.runtime.responseRows, transaction, side)
  return sendWhole(transaction, side, gateway) ? { kind: 'answered', source: 'control' } : { kind: 'caller left' }
}

/** Answers for `/echo/` with the outbound payload and reflects no header (docs/reference/http.md#bodies). */
export async function answerEcho(
  transaction: Transaction,
  request: RequestSide,
  gateway: Gateway,
): Promise<TransactionOutcome> {
  const { payload } = request.outbound
  const headers = mapOf(payload.kind === 'none' ? [] : [jsonContentType])
  transaction.timestamps.outbound = gateway.clock.now()
  const side = startResponse(transaction, { status: 200, headers }, { status: 200, headers })
  side.takePayload(payload)
  transaction.timestamps.inbound = gateway.clock.now()
  await runSyncRows(gateway, transaction.runtime.responseRows, transaction, side)
  return sendWhole(transaction, side, gateway) ? { kind: 'answered', source: 'echo' } : { kind: 'caller left' }
}

export function startResponse(
  transaction: Transaction,
  inbound: ResponseSideOptions['inbound'],
  egress: ResponseSideOptions['egress'],
): ResponseSide {
  const request =
    transaction.request ?? new RequestSide(transaction.runtime, ingressOf(transaction, noPayload), transaction)
  transaction.request = request
  const { mask, originalPath, outbound } = request
  const side = new ResponseSide(transaction.runtime, {
    routePath: outbound.route.path,
    originalPath,
    mask,
    memory: transaction.memory,
    inbound,
    egress,
  })
  transaction.response = side
  return side
}

/**
 * Sends the egress side in one write; returns false where the caller has left before, so that nothing is sent. Where
 * records are journalled, the record is written first, and `transaction.sending` tells whether the answer was sent.
 */
export function sendWhole(transaction: Transaction, side: ResponseSide, gateway: Gateway, raw?: Buffer): boolean {
  // A fault that follows the answer must not send a second answer.
  if (transaction.sending !== undefined) return true
  if (transaction.call.signal.cancelled) return false
  const { status, headers } = side.egress
  const body = raw ?? egressBytes(side)
  const send = (): boolean => {
    // The caller may leave while its record is journalled.
    if (transaction.call.signal.cancelled) return false
    transaction.reply.send(status, headers.values(), body)
    transaction.timestamps.egress = gateway.clock.now()
    return true
  }
  const written = journalRecord(transaction, gateway)
  if (written === undefined) send()
  else transaction.sending = written.then(send)
  return true
}

/**
 * Returns the egress bytes; a collected stream that a processor changed leaves as one chunk and the end mark
 * (docs/reference/http.md#streaming).
 */
function egressBytes(side: ResponseSide): Buffer | undefined {
  const bytes = payloadBytes(side.egress.payload)
  const { payload, payloadWritten } = side.egress
  if (bytes === undefined || !side.isStreamed || !payloadWritten || payload.kind !== 'json') return bytes
  return Buffer.concat([Buffer.from('data: '), completionChunk(bytes), Buffer.from('\n\ndata: [DONE]\n\n')])
}

function header(lower: string, value: string): Header {
  return new Header(lower, [value])
}

function mapOf(headers: readonly Header[]): HeaderMap {
  return new Map(headers.map((entry) => [entry.lower, entry]))
}
