import { decodeMessage } from '@llm-gateway/protocol'
import type { BusClient, BusMessage } from './bus.ts'
import { failureOf } from './failure.ts'
import { createGate, type GateLoad } from './gate.ts'
import type { Logger } from './logger.ts'
import { limited } from './wait.ts'

/** The fields of an answer; undefined or none = nothing to do (wire, 2). */
export type Answer = Readonly<Record<string, unknown>> | undefined

/** What became of a message. */
export type MessageOutcome =
  /** Answered with fields, or with `{}`. */
  | 'answered'
  | 'nothing'
  /** Not answered: the processor threw or took too long, too many messages wait, … */
  | 'failed'
  | 'dropped'
  | 'not an object'
  /** The answer is larger than the bus takes, or nobody waits for it. */
  | 'not taken'

/** How much a processor takes on; what is left out has the default. */
export type ProcessorLimits = {
  /** Answers worked on at the same time; default 64. */
  readonly concurrency?: number
  /** Messages that wait for one of them to end; default 1,024. More are dropped and logged: their callers time out. */
  readonly waiting?: number
  /** An answer that takes longer is given up; default ten minutes, what the gateway itself gives an LLM. */
  readonly answerTimeoutMs?: number
}

export type ProcessorOptions = ProcessorLimits & {
  readonly bus: BusClient
  /** Also the queue group (wire, 2). */
  readonly subject: string
  readonly logger: Logger
  /** Gives the answer to the fields of one message; what it throws becomes no answer and a log line. */
  readonly answer: (fields: ReadonlyMap<string, unknown>) => Answer | Promise<Answer>
  /** Told what became of each message, and how many seconds after it arrived. */
  readonly counted?: (outcome: MessageOutcome, seconds: number) => void
}

export type Processor = {
  /** Takes no more messages and resolves when those it has are answered. */
  drain(): Promise<void>
  /** Whether the bus takes its subscription. */
  readonly subscribed: boolean
  readonly load: GateLoad
}

const DEFAULT_CONCURRENCY = 64
const DEFAULT_WAITING = 1_024
const WAITING_BYTES = 64 * 1024 * 1024
const DEFAULT_ANSWER_TIMEOUT_MS = 600_000

/** Answers the gateway's messages on a subject; resolves once subscribed. */
export async function serveProcessor(options: ProcessorOptions): Promise<Processor> {
  const { bus, subject, logger } = options
  const gate = createGate({
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    waiting: options.waiting ?? DEFAULT_WAITING,
    waitingBytes: WAITING_BYTES,
    overloaded: () => logger.warn({ subject }, 'processor overloaded'),
    recovered: (dropped) => logger.warn({ subject, dropped }, 'processor no longer overloaded'),
  })
  const count = (outcome: MessageOutcome, arrived: number): void =>
    options.counted?.(outcome, (performance.now() - arrived) / 1_000)
  const receive = (message: BusMessage): void => {
    const arrived = performance.now()
    const task = async (): Promise<void> => count(await reply(message, options), arrived)
    if (!gate.run(task, message.bytes.length)) count('dropped', arrived)
  }
  const subscription = await bus.subscribe({ subject, queue: subject, receive })
  return {
    drain: async () => {
      await subscription.drain()
      await gate.idle()
    },
    get subscribed() {
      return subscription.active
    },
    get load() {
      return gate.load
    },
  }
}

/** Never rejects. */
async function reply(message: BusMessage, options: ProcessorOptions): Promise<MessageOutcome> {
  const { logger, subject } = options
  const fields = decodeMessage(message.bytes)
  if (fields === undefined) {
    logger.warn({ subject }, 'message is not an object')
    return 'not an object'
  }
  try {
    const text = JSON.stringify((await answerTo(fields, options)) ?? {})
    const bytes = Buffer.from(text)
    if (message.respond(bytes)) return text === '{}' ? 'nothing' : 'answered'
    logger.warn({ subject, bytes: bytes.length }, 'answer not taken by the bus')
    return 'not taken'
  } catch (error) {
    logger.error({ subject, ...failureOf(error) }, 'processor gave no answer')
    return 'failed'
  }
}

async function answerTo(fields: ReadonlyMap<string, unknown>, options: ProcessorOptions): Promise<Answer> {
  const answer = options.answer(fields)
  if (!(answer instanceof Promise)) return answer
  return await limited(answer, options.answerTimeoutMs ?? DEFAULT_ANSWER_TIMEOUT_MS)
}
