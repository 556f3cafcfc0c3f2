import { decodeMessage } from '@llm-gateway/protocol'
import type { BusClient, BusMessage } from './bus.ts'
import { createGate } from './gate.ts'
import type { Logger } from './logger.ts'
import { limited } from './wait.ts'

/** The fields of an answer; undefined or none = nothing to do (wire, 2). */
export type Answer = Readonly<Record<string, unknown>> | undefined

export type ProcessorOptions = {
  readonly bus: BusClient
  /** Also the queue group (wire, 2). */
  readonly subject: string
  readonly logger: Logger
  /** Gives the answer to the fields of one message; what it throws becomes no answer and a log line. */
  readonly answer: (fields: ReadonlyMap<string, unknown>) => Answer | Promise<Answer>
  /** Answers worked on at the same time; default 64. */
  readonly concurrency?: number
  /** Messages that wait for one of them to end; default 1,024. More are dropped and logged: their callers time out. */
  readonly waiting?: number
  /** An answer that takes longer is given up; default ten minutes, what the gateway itself gives an LLM. */
  readonly answerTimeoutMs?: number
}

export type Processor = {
  /** Takes no more messages and resolves when those it has are answered. */
  drain(): Promise<void>
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
  const receive = (message: BusMessage): void => gate.run(() => reply(message, options), message.bytes.length)
  const subscription = await bus.subscribe({ subject, queue: subject, receive })
  return {
    drain: async () => {
      await subscription.drain()
      await gate.idle()
    },
  }
}

async function reply(message: BusMessage, options: ProcessorOptions): Promise<void> {
  const { logger, subject } = options
  const fields = decodeMessage(message.bytes)
  if (fields === undefined) return logger.warn({ subject }, 'message is not an object')
  try {
    const bytes = Buffer.from(JSON.stringify((await answerTo(fields, options)) ?? {}))
    if (!message.respond(bytes)) logger.warn({ subject, bytes: bytes.length }, 'answer not taken by the bus')
  } catch (error) {
    logger.error({ subject, name: error instanceof Error ? error.name : 'unknown' }, 'processor gave no answer')
  }
}

async function answerTo(fields: ReadonlyMap<string, unknown>, options: ProcessorOptions): Promise<Answer> {
  const answer = options.answer(fields)
  if (!(answer instanceof Promise)) return answer
  return await limited(answer, options.answerTimeoutMs ?? DEFAULT_ANSWER_TIMEOUT_MS)
}
