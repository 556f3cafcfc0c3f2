import { failureOf, ThreadError } from '@llm-gateway/conf/failure'
import type { BusMessage } from '../bus/bus.ts'
import type { Logger } from '../logger.ts'
import type { AnswerText } from './answer-text.ts'

/** The fields of an answer; undefined or no fields = nothing to do (docs/reference/bus.md#reply). */
export type Answer = Readonly<Record<string, unknown>> | undefined

/** An answer as fields or as their JSON text. */
export type AnyAnswer = Answer | AnswerText

/** The properties of a message beside its fields. */
export type Call = Turns & {
  /** The router whose messages take turns with those of other routers. */
  readonly flow: string
  /** The time left for the answer, in milliseconds. */
  readonly timeoutMs: number
}

/** The message's share of the main thread: a loop that takes long contains `if (turns.isDue) await turns.nextTurn()`. */
export type Turns = {
  /** True once the messages in work have used up their time in this turn of the event loop. */
  readonly isDue: boolean
  /** Resolves when the work may go on; the routers take turns. */
  nextTurn(): Promise<void>
}

/** Returns the answer to the fields of one message. */
export type AnswerFunction = (fields: ReadonlyMap<string, unknown>, call?: Call) => AnyAnswer | Promise<AnyAnswer>

/** The outcome of a message. */
export type MessageOutcome =
  /** Answered with fields. */
  | 'answered'
  /** Answered with `{}`. */
  | 'nothing'
  /** Not answered, since the processor threw or took too long. */
  | 'failed'
  /** Not answered, since too many messages waited. */
  | 'dropped'
  /** Not answered, since the deadline passed. */
  | 'expired'
  | 'not an object'
  /** The answer is larger than the bus takes, or the message has no reply subject. */
  | 'not taken'

export type ReplyContext = { readonly subject: string; readonly logger: Logger }

/** The part of a message that a reply needs: the bytes may be given up by then. */
export type Respondable = Pick<BusMessage, 'respond'>

/** Answers a message with fields; throws when the fields can't be written as JSON. */
export function reply(message: Respondable, answer: Answer, context: ReplyContext): MessageOutcome {
  return replyText(message, Buffer.from(JSON.stringify(answer ?? {})), context)
}

/** Answers a message with the JSON text of fields. */
export function replyText(message: Respondable, bytes: Uint8Array, context: ReplyContext): MessageOutcome {
  if (message.respond(bytes)) return bytes.length === 2 ? 'nothing' : 'answered'
  const { subject, logger } = context
  logger.warn(
    { subject, bytes: bytes.length },
    'answer not sent: it is too large for the bus, or the message has no reply subject',
  )
  return 'not taken'
}

/**
 * A timer may fire up to two milliseconds early, since Node cuts the fraction of its time, and so does the event loop's
 * clock. Work that was given up then still counts as expired.
 */
const TIMER_MS = 2

/** Returns the outcome of a message whose work failed, and logs it; `deadline` is in time of `performance.now()`. */
export function outcomeOf(error: unknown, deadline: number, context: ReplyContext): MessageOutcome {
  if (performance.now() + TIMER_MS >= deadline) return 'expired'
  if (error instanceof ThreadError && error.code === 'NOT_AN_OBJECT') return notAnObject(context)
  context.logger.error({ subject: context.subject, ...failureOf(error) }, 'processor gave no answer')
  return 'failed'
}

export function notAnObject({ subject, logger }: ReplyContext): MessageOutcome {
  logger.warn({ subject }, 'message is not an object')
  return 'not an object'
}
