import type { Answer, Logger } from '@llm-gateway/sdk'
import { answerText } from './answer-text.ts'
import type { Caps } from './caps.ts'
import { largeReading } from './large-reading.ts'
import { estimatedCounts, type ReadUsage, type TokenCounts } from './usage.ts'

export type TokenCounterOptions = {
  readonly caps: Caps
  readonly readUsage: ReadUsage
  /** About how many tokens a text has; `length`: of all of a text that is given by its beginning. */
  readonly estimate: (text: string, length?: number) => Promise<number>
  readonly logger: Pick<Logger, 'info'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type Message = ReadonlyMap<string, unknown>

/**
 * Answers one message (wire, 6, token counter): in the request phase a control where the router's cap is used up,
 * in the response phase the tokens of an LLM's 2xx answer, booked on the router that answered and the one that was called.
 */
export function createTokenCounter(options: TokenCounterOptions): (message: Message) => Answer | Promise<Answer> {
  return (message) => {
    return isResponse(message) ? countResponse(message, options) : checkRequest(message, options)
  }
}

/** Makes the answer of what a thread has read of a large message. */
export function createConclusion(options: TokenCounterOptions): (value: unknown) => Promise<Answer> {
  return async (value) => {
    const { fields, usage, text } = largeReading(value)
    if (text === undefined) return checkRequest(fields, options)
    if (!isSuccess(fields.get('inbound_status_code'))) return undefined
    if (usage !== undefined) return booked(fields, usage, options)
    const tokens = await options.estimate(text.beginning, text.length)
    return booked(fields, estimatedCounts(tokens), options, true)
  }
}

/** A control answer's response has neither field: it looks like a request and nothing is written from it. */
export function isResponse(message: Message): boolean {
  return message.has('inbound_payload') || message.has('inbound_status_code')
}

function checkRequest(message: Message, { caps, now }: TokenCounterOptions): Answer {
  for (const router of routersOf(message)) {
    const seconds = caps.retryAfter(router, now())
    if (seconds === undefined) continue
    return {
      control: { Error: 'Consumption Cap Exceeded. Try again later', Path: router },
      control_status_code: 429,
      control_headers: { 'Retry-After': [String(seconds)] },
    }
  }
  return undefined
}

function countResponse(message: Message, options: TokenCounterOptions): Answer | Promise<Answer> {
  if (!isSuccess(message.get('inbound_status_code'))) return undefined
  const counts = options.readUsage(routersOf(message), message)
  return counts === undefined ? estimateResponse(message, options) : booked(message, counts, options)
}

async function estimateResponse(message: Message, options: TokenCounterOptions): Promise<Answer> {
  const tokens = await options.estimate(answerText(message.get('inbound_payload')))
  return booked(message, estimatedCounts(tokens), options, true)
}

function booked(message: Message, counts: TokenCounts, options: TokenCounterOptions, estimated = false): Answer {
  for (const router of routersOf(message)) {
    const field = options.caps.book(router, counts, options.now())
    if (field !== undefined) options.logger.info({ router, field }, 'consumption cap reached')
  }
  return { token_count: { ...Object.fromEntries(counts), ...(estimated ? { estimated: true } : {}) } }
}

/** The router that answers, then the one that was called where that is another. */
export function routersOf(message: Message): readonly string[] {
  const paths = new Set([message.get('gl_path'), message.get('original_gl_path')])
  return [...paths].filter((path) => typeof path === 'string')
}

function isSuccess(status: unknown): boolean {
  return typeof status === 'number' && status >= 200 && status <= 299
}
