import { DEADLINE_HEADER, decodeMessage, ROUTER_HEADER, readDeadline } from '@llm-gateway/protocol'
import type { BusClient, BusMessage } from '../bus/bus.ts'
import type { Logger } from '../logger.ts'
import { withDeadline } from '../wait.ts'
import { AnswerText } from './answer-text.ts'
import type { GateLoad, Task } from './gate.ts'
import { heldBytes } from './held-bytes.ts'
import { createLanes, type LaneLimits, type Lanes, laneOf } from './lanes.ts'
import { createMessageThreads, type LargeMessages, type MessageThreads } from './message-threads.ts'
import {
  type AnswerFunction,
  type AnyAnswer,
  type Call,
  type MessageOutcome,
  notAnObject,
  outcomeOf,
  type Respondable,
  reply,
  replyText,
} from './reply.ts'
import { createReplyTurns, type ReplyTurns } from './reply-turns.ts'
import { WorkTurns } from './work-turns.ts'

/** Limits on a processor's work; absent limits have defaults. */
export type ProcessorLimits = LaneLimits & {
  /** The limit for one answer; default ten minutes, like the gateway's limit for an LLM. */
  readonly answerTimeoutMs?: number
  /** True: messages are taken after their deadline too, since the processor learns from them; default false. */
  readonly takesLate?: boolean
}

export type ProcessorOptions = ProcessorLimits & {
  readonly bus: Pick<BusClient, 'subscribe' | 'flush'>
  /** The subject, which is also the name of the queue group (docs/reference/bus.md#connection). */
  readonly subject: string
  readonly logger: Logger
  /** Returns the answer to the fields of one message; an exception becomes no answer and a log line. */
  readonly answer: AnswerFunction
  /** Reads messages of more than 16 KiB in threads. When it is absent, `answer` gets them too. */
  readonly large?: LargeMessages
  /** Called with the outcome of each message and the seconds since its arrival. */
  readonly counted?: (outcome: MessageOutcome, seconds: number) => void
}

export type Processor = {
  /** Takes no more messages; resolves when all received messages are answered. */
  drain(): Promise<void>
  /** Ends the threads of large messages. */
  close(): Promise<void>
  /** True while the bus takes the subscription and the threads in use can be started. */
  readonly ready: boolean
  readonly load: GateLoad
}

const DEFAULT_ANSWER_TIMEOUT_MS = 600_000
const LATE_WARNING_MS = 60_000
/** The most memory that a message may keep, as a multiple of its bytes; a waiting message counts with its own bytes. */
const MOST_KEPT = 2
/** The same for huge messages: two of them may be all that a processor has room for. */
const MOST_KEPT_BY_HUGE = 1.25

/** Answers the gateway's messages on a subject; resolves once subscribed. */
export async function serveProcessor(options: ProcessorOptions): Promise<Processor> {
  const { bus, subject, logger, large } = options
  const lanes = createLanes({
    ...options,
    readsInThreads: large !== undefined,
    overloaded: (lane) => logger.warn({ subject, lane }, 'processor overloaded'),
    recovered: (lane, dropped) => logger.warn({ subject, lane, dropped }, 'processor no longer overloaded'),
  })
  const threads = large === undefined ? undefined : createMessageThreads(large, logger)
  const turns = new WorkTurns()
  const replyTurns = createReplyTurns(() => bus.flush())
  const warnLate = lateWarning(options)
  const serving: Serving = { ...options, gates: lanes.gates, threads, turns, replyTurns, warnLate }
  const receive = (message: BusMessage): void => takeIn(message, serving)
  const subscription = await bus.subscribe({ subject, queue: subject, receive })
  return {
    drain: async () => {
      await subscription.drain()
      await lanes.idle()
    },
    close: async () => await threads?.close(),
    get ready() {
      return subscription.active && threads?.ready !== false
    },
    get load() {
      return lanes.load
    },
  }
}

type Serving = ProcessorOptions & {
  readonly gates: Lanes['gates']
  readonly threads: MessageThreads | undefined
  readonly turns: WorkTurns
  readonly replyTurns: ReplyTurns
  readonly warnLate: (lateMs: number) => void
}

function takeIn(message: BusMessage, serving: Serving): void {
  const { header, respond } = message
  const arrival = arrivalOf(serving.takesLate === true ? undefined : readDeadline(header(DEADLINE_HEADER)))
  const count = counterOf(arrival, serving)
  if (arrival.deadline <= arrival.at) {
    serving.warnLate(Math.round(arrival.at - arrival.deadline))
    count('expired')
    return
  }
  const bytes = ownBytes(message.bytes)
  const lane = laneOf(bytes.length)
  const taken: Taken = { respond, size: bytes.length, flow: flowOf(message), arrival, count, serving }
  const { gates, threads } = serving
  const run = threads === undefined || lane === 'short' ? workHere(bytes, taken) : workInThread(bytes, taken, threads)
  gates[lane].run({ bytes: bytes.length, flow: taken.flow, deadline: arrival.deadline, drop: count, run })
}

/**
 * Returns a message's bytes, copied where they would keep much more memory: node reads up to 64 KiB of a connection into
 * one buffer, and the bus's client collects a longer message in a buffer that may be twice as large.
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  const most = laneOf(bytes.length) === 'huge' ? MOST_KEPT_BY_HUGE : MOST_KEPT
  return bytes.length * most < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes
}

function workHere(bytes: Uint8Array, taken: Taken): Task['run'] {
  return async () => taken.count(await answerInTurn(bytes, taken))
}

/** Returns the work that a thread does. The message's bytes are free as soon as the thread has its copy of them. */
function workInThread(message: Uint8Array, taken: Taken, threads: MessageThreads): Task['run'] {
  const { count, serving } = taken
  let bytes: Uint8Array | undefined = message
  return async () => {
    if (bytes === undefined) return // A task runs once.
    const reading = threads.read(laneOf(taken.size), bytes, leftMs(taken.arrival, serving))
    bytes = undefined
    const read = await readIn(reading, taken)
    if ('outcome' in read) count(read.outcome)
    else serving.gates.read.run(conclusionOf(read.value, taken))
  }
}

/** The facts about a message that are needed until its reply: all but its bytes. */
type Taken = Respondable & {
  /** The length of the message in bytes. */
  readonly size: number
  readonly flow: string
  readonly arrival: Arrival
  readonly count: (outcome: MessageOutcome) => void
  readonly serving: Serving
}
type Read = { readonly value: unknown } | { readonly outcome: MessageOutcome }

/** Waits for the reading of a message in a thread and replies, unless `conclude` makes the answer. Never rejects. */
async function readIn(reading: Promise<unknown>, taken: Taken): Promise<Read> {
  try {
    const value = await reading
    return value instanceof Uint8Array ? { outcome: replyText(taken, value, taken.serving) } : { value }
  } catch (error) {
    return { outcome: outcomeOf(error, taken.arrival.deadline, taken.serving) }
  }
}

/**
 * Returns the rest of the work on a message that a thread has read. It needs no thread and may take long. It is made
 * here because a function keeps all variables of the scope that it is made in, and the message's bytes must be free.
 */
function conclusionOf(value: unknown, taken: Taken): Task {
  const { arrival, count, flow, size } = taken
  const run = async (): Promise<void> => count(await concludeMessage(value, taken))
  return { bytes: heldBytes(value, size), flow, deadline: arrival.deadline, drop: count, run }
}

/** Answers a message once its turn has come: the bus hands over many messages in one turn of the event loop. */
async function answerInTurn(bytes: Uint8Array, taken: Taken): Promise<MessageOutcome> {
  const { arrival, flow, serving } = taken
  if (!serving.turns.isFree) {
    await serving.turns.next(flow)
    if (arrival.deadline <= performance.now()) return 'expired'
  }
  const fields = decodeMessage(bytes)
  return fields === undefined ? notAnObject(serving) : await replyWith(taken, (call) => serving.answer(fields, call))
}

async function concludeMessage(value: unknown, taken: Taken): Promise<MessageOutcome> {
  return await replyWith(taken, (call) => taken.serving.large?.conclude?.(value, call))
}

/** Never rejects. */
async function replyWith(
  taken: Taken,
  answer: (call: Call) => AnyAnswer | Promise<AnyAnswer>,
): Promise<MessageOutcome> {
  const { arrival, flow, serving } = taken
  try {
    const timeoutMs = leftMs(arrival, serving)
    const given = answer(new MessageCall(timeoutMs, flow, serving.turns))
    const answered = given instanceof Promise ? await withDeadline(given, timeoutMs) : given
    if (!(answered instanceof AnswerText)) return reply(taken, answered, serving)
    return await replyInTurn(answered, taken)
  } catch (error) {
    return outcomeOf(error, arrival.deadline, serving)
  }
}

/** Sends a text of any size, which costs the processor nothing but its bytes. */
async function replyInTurn(text: AnswerText, taken: Taken): Promise<MessageOutcome> {
  const { arrival, flow, serving } = taken
  const planned = { bytes: text.bytes, flow, deadline: arrival.deadline }
  return (await serving.replyTurns.enter(planned)) ? replyText(taken, text.join(), serving) : 'expired'
}

class MessageCall implements Call {
  readonly timeoutMs: number
  readonly flow: string
  readonly #turns: WorkTurns

  constructor(timeoutMs: number, flow: string, turns: WorkTurns) {
    this.timeoutMs = timeoutMs
    this.flow = flow
    this.#turns = turns
  }

  get isDue(): boolean {
    return this.#turns.isDue
  }

  nextTurn(): Promise<void> {
    return this.#turns.next(this.flow)
  }
}

function leftMs({ deadline }: Arrival, { answerTimeoutMs = DEFAULT_ANSWER_TIMEOUT_MS }: Serving): number {
  return Math.max(0, Math.min(deadline - performance.now(), answerTimeoutMs))
}

/** Warns at most once a minute: the bus is far behind, or the clocks of the gateway and of this machine differ. */
function lateWarning({ logger, subject }: ProcessorOptions): (lateMs: number) => void {
  let last = Number.NEGATIVE_INFINITY
  return (lateMs) => {
    const now = performance.now()
    if (now - last < LATE_WARNING_MS) return
    last = now
    logger.warn({ subject, late_ms: lateMs }, 'message came after its deadline')
  }
}

/** The arrival of a message and the end of the wait for its answer, by `performance.now()`. */
type Arrival = { readonly at: number; readonly deadline: number }

/** Returns the function that counts the outcome of a message. */
function counterOf({ at }: Arrival, { counted }: Serving): (outcome: MessageOutcome) => void {
  return (outcome) => counted?.(outcome, (performance.now() - at) / 1_000)
}

/** Returns the arrival of a message with a deadline in Unix milliseconds; without one, the message never expires. */
function arrivalOf(deadline: number | undefined): Arrival {
  const at = performance.now()
  return { at, deadline: deadline === undefined ? Number.POSITIVE_INFINITY : at + (deadline - Date.now()) }
}

const GL_PATH = Buffer.from('{"gl_path":"')
const QUOTE = 0x22
const MOST_BYTES = 1_024

/**
 * Returns the flow of a message in the fair queue: the router that its header names. A gateway of an earlier version
 * sends no such header. Its messages show their router, where a row selects `gl_path`, in the body's first field, before
 * all fields with a caller's content; its other messages share one flow.
 */
function flowOf({ bytes, header }: BusMessage): string {
  return header(ROUTER_HEADER) || pathIn(bytes)
}

/** Returns the value of `gl_path` without decoding the message; an empty text where the message doesn't begin with it. */
function pathIn(bytes: Uint8Array): string {
  const start = GL_PATH.length
  if (bytes.length <= start || GL_PATH.compare(bytes, 0, start) !== 0) return ''
  const end = bytes.subarray(0, start + MOST_BYTES).indexOf(QUOTE, start)
  return end < 0 ? '' : Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}
