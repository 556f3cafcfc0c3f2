import type { Bus, CallError } from '../bus/bus.ts'
import { type Clock, elapsedMs, timerJson } from '../clock.ts'
import type { Member } from '../config/runtime-config.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { Metrics } from '../metrics.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import { type Answer, decodeReply } from './decode-reply.ts'
import { encodeSelected } from './fields.ts'
import { merge } from './merge.ts'
import { type Side, showAccount } from './side.ts'

export type Pipeline = {
  readonly bus: Bus
  readonly clock: Clock
  readonly metrics: Metrics
  readonly json: JsonEngine
  readonly work: WorkQueue
}

/**
 * Calls the members of one pass of a row in parallel on one snapshot of the fields and merges their replies in the
 * file's order. Members that select the same fields share one message. Returns the answers; never rejects.
 */
export async function callProcessors(
  pipeline: Pipeline,
  members: readonly Member[],
  side: Side,
): Promise<readonly Answer[]> {
  showAccount(side)
  const messages = new Map<string, Message>()
  let messageBytes = 0
  const slice = pipeline.work.begin()
  for (const { inputKey, input } of members) {
    if (messages.has(inputKey)) continue
    if (slice.due) await slice.next()
    messages.set(inputKey, counted(encodeSelected(side.fields, input)))
  }
  const answers = await Promise.all(
    members.map((member) => callMember(pipeline, { member, message: messages.get(member.inputKey), side })),
  )
  side.holding.release(messageBytes)
  for (const answer of answers) {
    noteAnswer(pipeline, answer, side)
    await merge(answer, side, pipeline.work.begin())
  }
  return answers

  /** Counts a message's bytes; a message without room in the gateway's memory isn't sent. */
  function counted(message: ReturnType<typeof encodeSelected>): Message {
    if (!(message instanceof Uint8Array)) return message
    if (!side.holding.take(message.length)) return 'timeout: not sent, too much waits already'
    messageBytes += message.length
    return message
  }
}

/** A message's bytes, or the reason why none are sent; undefined where no field was selected. */
type Message = Uint8Array | CallError | undefined

type Question = { readonly member: Member; readonly message: Message; readonly side: Side }

async function callMember(pipeline: Pipeline, { member, message, side }: Question): Promise<Answer> {
  const start = pipeline.clock.now()
  if (message === undefined) return { member, reply: { kind: 'not called' }, start, stop: start }
  if (typeof message === 'string') return { member, reply: { kind: 'failed', error: message }, start, stop: start }
  const outcome = await pipeline.bus.call(member.subject, message, member.timeoutMs)
  const stop = pipeline.clock.now()
  if (outcome.kind === 'failed') return { member, reply: outcome, start, stop }
  if (!side.holding.take(outcome.bytes.length)) {
    return { member, reply: { kind: 'failed', error: 'too large' }, start, stop }
  }
  const { json, work } = pipeline
  const reading = { json, work, depth: side.jsonDepth }
  return { member, reply: await decodeReply(reading, outcome.bytes, member.writes), start, stop }
}

function noteAnswer(pipeline: Pipeline, { member, reply, start, stop }: Answer, side: Side): void {
  const completed = reply.kind === 'fields'
  const details = `{"required":${member.required},"completed":${completed},"timestamp":${timerJson(start, stop)}}`
  const list = member.async ? side.processorsAsync : side.processors
  list.push(`{"name":${JSON.stringify(member.name)},"details":${details}}`)
  if (reply.kind === 'failed') side.errors.push({ name: member.name, details: reply.error })
  if (reply.kind === 'not an object') side.errors.push({ name: member.name, details: 'not an object' })
  if (reply.kind === 'not called') return
  const outcome = completed ? 'completed' : reply.kind === 'nothing' ? 'nothing' : 'failed'
  pipeline.metrics.processorCalled({ processor: member.name, outcome, seconds: elapsedMs(start, stop) / 1000 })
}

/**
 * Returns true where a required member gave no answer: an empty reply, `{}` and an object are answers
 * (docs/reference/bus.md#required).
 */
export function lacksRequired(answers: readonly Answer[]): boolean {
  return answers.some(
    ({ member, reply }) => member.required && (reply.kind === 'failed' || reply.kind === 'not an object'),
  )
}
