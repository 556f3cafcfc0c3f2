import type { Bus, CallError, CallOutcome } from '../bus/bus.ts'
import { type Clock, elapsedMs, type Instant, timerJson } from '../clock.ts'
import type { RowProcessor } from '../config/runtime-config.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import { copyBytes } from '../memory/copy-bytes.ts'
import type { Metrics } from '../metrics.ts'
import type { CallTurns } from '../work/call-turns.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { CallPlaces } from './call-places.ts'
import { decodeReply, type ProcessorAnswer } from './decode-reply.ts'
import { encodeSelected } from './fields.ts'
import { merge } from './merge.ts'
import { type Side, writeOutcomeFields } from './side.ts'

export type Pipeline = {
  readonly bus: Bus
  readonly places: CallPlaces
  readonly callTurns: CallTurns
  readonly clock: Clock
  readonly metrics: Metrics
  readonly json: JsonEngine
  readonly work: WorkQueue
}

/**
 * Calls the processors of one pass of a row in parallel on one snapshot of the fields and merges their replies in the
 * file's order. Members that select the same fields share one message. Returns the answers; never rejects.
 */
export async function callProcessors(
  pipeline: Pipeline,
  processors: readonly RowProcessor[],
  side: Side,
): Promise<readonly ProcessorAnswer[]> {
  writeOutcomeFields(side)
  const messages = new Map<string, Message>()
  let messageBytes = 0
  const slice = pipeline.work.begin(side.memory.router.path)
  for (const { inputKey, input } of processors) {
    if (messages.has(inputKey)) continue
    if (slice.isDue) await slice.next()
    messages.set(inputKey, counted(encodeSelected(side.fields, input)))
  }
  const called = await Promise.all(
    processors.map((processor) =>
      callProcessor(pipeline, { processor, message: messages.get(processor.inputKey), side }),
    ),
  )
  side.memory.release(messageBytes)
  // Thousands of replies or timeouts may come in one turn, so that replies aren't read before.
  const turn = pipeline.callTurns.take(side.memory.router.path, side.turnSteps)
  if (turn !== undefined) await turn
  const { json, work } = pipeline
  const { memory } = side
  const reading = { json, slice: work.begin(memory.router.path), depth: side.jsonDepth, memory }
  const answers: ProcessorAnswer[] = []
  for (const { processor, outcome, start, stop } of called) {
    const reply = outcome.kind === 'reply' ? await decodeReply(reading, outcome.bytes, processor.writes) : outcome
    const answer = { processor, reply, start, stop }
    reportAnswer(pipeline, answer, side)
    await merge(answer, side, work)
    answers.push(answer)
  }
  return answers

  /** Counts a message's bytes; a message without room in the gateway's memory isn't sent. */
  function counted(message: ReturnType<typeof encodeSelected>): Message {
    if (!(message instanceof Uint8Array)) return message
    if (!side.memory.take(message.length)) return NOT_SENT
    messageBytes += message.length
    return message
  }
}

/** A message's bytes, or the reason why none are sent; undefined where no field was selected. */
type Message = Uint8Array | CallError | undefined

const NOT_SENT = 'timeout: not sent, too much waits already'

type ProcessorCall = { readonly processor: RowProcessor; readonly message: Message; readonly side: Side }

/** A processor that was called; its reply is counted in the call's memory and hasn't been read. */
type CalledProcessor = {
  readonly processor: RowProcessor
  readonly outcome: CallOutcome | { readonly kind: 'not called' }
  readonly start: Instant
  readonly stop: Instant
}

async function callProcessor(
  pipeline: Pipeline,
  { processor, message, side }: ProcessorCall,
): Promise<CalledProcessor> {
  const start = pipeline.clock.now()
  if (message === undefined) return { processor, outcome: { kind: 'not called' }, start, stop: start }
  if (typeof message === 'string') return { processor, outcome: { kind: 'failed', error: message }, start, stop: start }
  const { places, bus, clock } = pipeline
  const { router } = side.memory
  if (!places.take(router)) return { processor, outcome: { kind: 'failed', error: NOT_SENT }, start, stop: start }
  const outcome = await bus.call(processor.subject, message, { timeoutMs: processor.timeoutMs, router: router.path })
  places.release(router)
  const stop = clock.now()
  if (outcome.kind === 'failed') return { processor, outcome, start, stop }
  if (!side.memory.take(outcome.bytes.length)) {
    return { processor, outcome: { kind: 'failed', error: 'too large' }, start, stop }
  }
  return { processor, outcome: { kind: 'reply', bytes: withoutFrame(outcome.bytes) }, start, stop }
}

/**
 * Returns a reply's bytes, copied where they would keep more than twice as much memory: node reads up to 64 KiB of a
 * connection into one buffer, and the fields of a reply stay until the call ends.
 */
function withoutFrame(bytes: Uint8Array): Uint8Array {
  return bytes.length * 2 < bytes.buffer.byteLength ? copyBytes(bytes) : bytes
}

function reportAnswer(pipeline: Pipeline, { processor, reply, start, stop }: ProcessorAnswer, side: Side): void {
  const completed = reply.kind === 'fields'
  const details = `{"required":${processor.required},"completed":${completed},"timestamp":${timerJson(start, stop)}}`
  const list = processor.async ? side.processorsAsync : side.processors
  list.push(`{"name":${JSON.stringify(processor.name)},"details":${details}}`)
  if (reply.kind === 'failed') side.errors.push({ name: processor.name, details: reply.error })
  if (reply.kind === 'not an object') side.errors.push({ name: processor.name, details: 'not an object' })
  if (reply.kind === 'not called') return
  const outcome = completed ? 'completed' : reply.kind === 'nothing' ? 'nothing' : 'failed'
  pipeline.metrics.processorCalled({ processor: processor.name, outcome, seconds: elapsedMs(start, stop) / 1000 })
}

/**
 * Returns true where a required processor gave no answer: an empty reply, `{}` and an object are answers
 * (docs/reference/bus.md#required).
 */
export function lacksRequiredAnswer(answers: readonly ProcessorAnswer[]): boolean {
  return answers.some(
    ({ processor, reply }) => processor.required && (reply.kind === 'failed' || reply.kind === 'not an object'),
  )
}
