import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FAILURES, type Failure } from '@llm-gateway/gui-api'
import { type Caller, type Failed, failed } from './answer.ts'
import type { AnswerRoom } from './answer-room.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
/** Smaller answers take no room: as many as there are connections are not much. */
const SMALL_ANSWER = 16 * 1024
const NO_ROOM = failed('BUSY', 'Too many answers wait until their callers read them. Try again in a moment.', {
  retry_after_seconds: 5,
})

/** The used parts of Fastify's reply. */
type Reply = {
  readonly raw: ServerResponse
  code(status: number): Reply
  header(name: string, value: string): Reply
  type(type: string): Reply
  send(payload: unknown): unknown
}

type Receiver = {
  readonly request: { readonly raw: { readonly socket: Socket } }
  readonly reply: Reply
  readonly room: AnswerRoom
  readonly caller: Caller
}

/** Sends a JSON text once it has room among the answers that are being sent; BUSY if it gets none. */
export async function sendText(
  { request, reply, room, caller }: Receiver,
  { status, text }: { readonly status: number; readonly text: Uint8Array },
) {
  const { socket } = request.raw
  const answer = { bytes: text.length, caller: caller.ended, response: reply.raw, socket }
  if (text.length > SMALL_ANSWER && !(await room.hold(answer))) return await sendFailure(reply, NO_ROOM)
  return await reply.code(status).type(JSON_TYPE).send(text)
}

export async function sendFailure(reply: Reply, { kind, ...error }: Failed): Promise<void> {
  const { code, retry_after_seconds: seconds } = error
  if (seconds !== undefined) void reply.header('retry-after', String(seconds))
  const body: Failure = { error }
  await reply.code(FAILURES[code].status).send(body)
}
