import { cutBody } from '../bus/cut-record.ts'
import { assembleStream } from '../stream/assemble.ts'
import { decodeBody } from '../stream/decode-body.ts'
import { hasEnded } from '../stream/has-ended.ts'
import { BodyCopy, collectBody } from '../upstream/collect-body.ts'
import type { Inbound } from '../upstream/upstream.ts'
import { answerError, sendWhole, startResponse } from './answer.ts'
import type { Permit } from './check-ingress.ts'
import type { Ending } from './finish.ts'
import { outboundPath } from './outbound.ts'
import { passThrough } from './pass-through.ts'
import { type ParsedBytes, parseBytes, payloadBytes, payloadOfValue, textOf } from './payload.ts'
import type { RequestSide } from './request-side.ts'
import { isEventStream, type ResponseSide } from './response-side.ts'
import { needsPayload, runSyncRows } from './run-rows.ts'
import type { Gateway, Transaction } from './transaction.ts'

/**
 * Makes the call and hands its answer on: as it arrives, unless a sync response row needs the payload, then collected
 * (wire, 5). The permit shows that the ingress check was passed.
 */
export async function answerFromUpstream(
  transaction: Transaction,
  request: RequestSide,
  _permit: Permit,
  gateway: Gateway,
): Promise<Ending> {
  const { call, moments, runtime } = transaction
  const { outbound } = request
  const body = payloadBytes(outbound.payload)
  const memory = transaction.memory?.holds(body) === true ? transaction.memory : undefined
  memory?.hold()
  moments.outbound = gateway.clock.now()
  const answer = await gateway.upstream.send(
    {
      origin: outbound.route.target.origin,
      path: outboundPath(outbound),
      method: transaction.method,
      headers: outbound.headers,
      body,
      bodyLeft: memory === undefined ? undefined : () => memory.letGo(),
      headersTimeoutMs: runtime.limits.outboundHeadersTimeoutMs,
      silenceTimeoutMs: runtime.limits.outboundSilenceTimeoutMs,
    },
    call.signal,
  )
  moments.firstByte = gateway.clock.now()
  moments.inbound = moments.firstByte
  if (answer.kind === 'failed')
    return answerError(transaction, call.signal.cancelled ? 'CALLER_GONE' : answer.code, gateway)
  const { inbound } = answer
  const side = startResponse(transaction, inbound, inbound)
  transaction.copy = new BodyCopy(runtime.limits.responseBytes, gateway.budget)
  if (needsPayload(runtime.responseRows, transaction)) {
    return collect(transaction, side, inbound, transaction.copy, gateway)
  }
  const rows = runSyncRows(gateway, runtime.responseRows, transaction, side)
  if (rows !== true) await rows
  return pass(transaction, side, inbound, transaction.copy, gateway)
}

/** Hands the body on as it arrives; what the record needs of it is made afterwards. */
async function pass(
  transaction: Transaction,
  side: ResponseSide,
  inbound: Inbound,
  copy: BodyCopy,
  gateway: Gateway,
): Promise<Ending> {
  const { moments, reply } = transaction
  const whole = transaction.method === 'HEAD' ? undefined : inbound.body.takeWhole()
  if (whole !== undefined) {
    copy.add(whole)
    sendWhole(transaction, side, gateway, whole)
    return recordAnswer(transaction, side, inbound, copy)
  }
  reply.head(side.egress.status, side.egress.headers.values(), inbound.headers.get('content-length')?.values[0])
  const passage = await passThrough(inbound.body, reply, {
    copy,
    signal: transaction.call.signal,
    stallTimeoutMs: transaction.runtime.limits.requestIdleTimeoutMs,
  })
  moments.inbound = gateway.clock.now()
  moments.egress = moments.inbound
  const ending = await recordAnswer(transaction, side, inbound, copy)
  if (passage.kind === 'complete') return ending
  // Clients that have read the last event don't wait for the connection's end.
  if (passage.kind === 'caller gone' && side.streamed && hasEnded(copy.chunks)) return ending
  if (passage.kind === 'broken') side.errors.push({ name: 'outbound', details: passage.code })
  return { kind: passage.kind === 'broken' ? 'broken stream' : 'caller left' }
}

/** Reads the whole answer, lets the rows work on it, and sends it: unchanged as the bytes that came. */
async function collect(
  transaction: Transaction,
  side: ResponseSide,
  inbound: Inbound,
  copy: BodyCopy,
  gateway: Gateway,
): Promise<Ending> {
  transaction.call.signal.onCancel(() => inbound.body.abort())
  const collected = await collectBody(inbound.body, copy)
  transaction.moments.inbound = gateway.clock.now()
  if (transaction.call.signal.cancelled) return answerError(transaction, 'CALLER_GONE', gateway)
  if (collected.kind === 'failed') return answerError(transaction, collected.code, gateway)
  const parsed = await readAnswer(transaction, inbound, copy)
  if (parsed === 'undecodable') return answerError(transaction, 'UPSTREAM_ENCODING', gateway)
  if (parsed === 'too large') return answerError(transaction, 'UPSTREAM_TOO_LARGE', gateway)
  side.takePayload(parsed.payload)
  await runSyncRows(gateway, transaction.runtime.responseRows, transaction, side)
  sendWhole(transaction, side, gateway, side.egress.payloadWritten ? undefined : Buffer.concat(copy.chunks))
  return { kind: 'answered', source: 'upstream', value: parsed.value }
}

/** The record's view of an answer that has passed: decoded as far as it can be. */
async function recordAnswer(
  transaction: Transaction,
  side: ResponseSide,
  inbound: Inbound,
  copy: BodyCopy,
): Promise<Ending> {
  const parsed = await readAnswer(transaction, inbound, copy)
  if (parsed === 'undecodable') side.errors.push({ name: 'inbound_payload', details: 'UPSTREAM_ENCODING' })
  if (parsed === 'too large' || copy.cut) {
    // response_bytes cuts the record, never the call (wire, 5).
    side.cut = ['egress_payload', 'inbound_payload']
    side.takePayload({ kind: 'json', bytes: Buffer.from(cutBody(plainBytes(copy), copy.totalBytes)) })
    return { kind: 'answered', source: 'upstream', value: undefined }
  }
  if (parsed === 'undecodable') {
    side.takePayload({ kind: 'binary', bytes: plainBytes(copy) })
    return { kind: 'answered', source: 'upstream', value: undefined }
  }
  side.takePayload(parsed.payload)
  return { kind: 'answered', source: 'upstream', value: parsed.value }
}

type Answer = ParsedBytes | 'undecodable' | 'too large'

/** Decodes, and assembles a stream's message; decoded bytes count against response_bytes (wire, 3 and 5). */
function readAnswer(transaction: Transaction, inbound: Inbound, copy: BodyCopy): Answer | Promise<Answer> {
  const coding = inbound.headers.get('content-encoding')?.values.join(',')
  if (coding === undefined) return readDecoded(plainBytes(copy), inbound)
  return decoded(transaction, copy, coding).then((bytes) =>
    typeof bytes === 'string' ? bytes : readDecoded(bytes, inbound),
  )
}

function readDecoded(bytes: Buffer, inbound: Inbound): ParsedBytes {
  if (!isEventStream(inbound.headers)) return parseBytes(bytes)
  const message = assembleStream(textOf(bytes))
  const payload = message === undefined ? undefined : payloadOfValue(message)
  return payload === undefined ? parseBytes(bytes) : { payload, value: message }
}

function plainBytes(copy: BodyCopy): Buffer {
  const [first = Buffer.alloc(0)] = copy.chunks
  return copy.chunks.length <= 1 ? first : Buffer.concat(copy.chunks)
}

async function decoded(
  transaction: Transaction,
  copy: BodyCopy,
  coding: string,
): Promise<Buffer | 'undecodable' | 'too large'> {
  const result = await decodeBody(copy.chunks, coding, transaction.runtime.limits.responseBytes)
  if (result.kind === 'undecodable') return 'undecodable'
  return result.cut ? 'too large' : result.bytes
}
