import type { BusMessage } from './bus.ts'
import { failureOf, ThreadError } from './failure.ts'
import type { Logger } from './logger.ts'

/** The fields of an answer; undefined or none = nothing to do (docs/reference/bus.md#reply). */
export type Answer = Readonly<Record<string, unknown>> | undefined

/** What a processor is told of a message besides its fields. */
export type Call = {
  /** How long its answer is waited for from now on. */
  readonly timeoutMs: number
}

/** What became of a message. */
export type MessageOutcome =
  /** Answered with fields, or with `{}`. */
  | 'answered'
  | 'nothing'
  /** Not answered: the processor threw or took too long, too many messages wait, nobody waits for the answer, … */
  | 'failed'
  | 'dropped'
  | 'expired'
  | 'not an object'
  /** The answer is larger than the bus takes, or nobody waits for it. */
  | 'not taken'

export type Replying = { readonly subject: string; readonly logger: Logger }

/** Answers a message with fields; throws where they can't be written as JSON. */
export function reply(message: BusMessage, answer: Answer, replying: Replying): MessageOutcome {
  return replyText(message, Buffer.from(JSON.stringify(answer ?? {})), replying)
}

/** Answers with the JSON text of fields. */
export function replyText(message: BusMessage, bytes: Uint8Array, { subject, logger }: Replying): MessageOutcome {
  if (message.respond(bytes)) return bytes.length === 2 ? 'nothing' : 'answered'
  logger.warn({ subject, bytes: bytes.length }, 'answer not taken by the bus')
  return 'not taken'
}

/** A timer may end up to a millisecond before its time: what it gives up is over its deadline all the same. */
const TIMER_MS = 1

/** What becomes of a message whose work failed, and a log line of it; `deadline`: see `Arrival`. */
export function outcomeOf(error: unknown, deadline: number, replying: Replying): MessageOutcome {
  if (performance.now() + TIMER_MS >= deadline) return 'expired'
  if (error instanceof ThreadError && error.code === 'NOT_AN_OBJECT') return notAnObject(replying)
  replying.logger.error({ subject: replying.subject, ...failureOf(error) }, 'processor gave no answer')
  return 'failed'
}

export function notAnObject({ subject, logger }: Replying): MessageOutcome {
  logger.warn({ subject }, 'message is not an object')
  return 'not an object'
}
