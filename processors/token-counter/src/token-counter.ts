import type { Answer, Logger } from '@llm-gateway/sdk'
import type { Caps } from './caps.ts'
import { answerText, promptText } from './estimated-text.ts'
import { type CountedText, largeReading } from './large-reading.ts'
import { countsOfAnswer, silentStream, TELLING_CALL } from './silent-streams.ts'
import { countsForCaps, type ReadUsage, type TokenCounts } from './usage.ts'

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
 * Answers one message (docs/reference/processors.md#token-counter). In the request phase the reply is a control where
 * the router's cap is used up. In the response phase it is the tokens of a 2xx answer, booked on the router that
 * answered and the one that was called.
 */
export function createTokenCounter(options: TokenCounterOptions): (message: Message) => Answer | Promise<Answer> {
  return (message) => {
    if (isResponse(message)) return countResponse(message, options)
    const payload = message.get('ingress_payload')
    // A control answer's response has no payload of ours: it is no call.
    const call = message.has('ingress_payload') ? { prompt: wholeText(promptText(payload)) } : undefined
    return checkRequest(message, call, options)
  }
}

/** Makes the answer of what a thread has read of a large message. */
export function createConclusion(options: TokenCounterOptions): (value: unknown) => Answer | Promise<Answer> {
  return (value) => {
    const { phase, fields, usage, text } = largeReading(value)
    if (phase === 'request') return checkRequest(fields, { prompt: text }, options)
    if (!isSuccess(fields.get('inbound_status_code'))) return undefined
    return usage === undefined ? estimateResponse(fields, text, options) : booked(fields, usage, options)
  }
}

/** A control answer's response has neither field: it looks like a request and nothing is written from it. */
export function isResponse(message: Message): boolean {
  return message.has('inbound_payload') || message.has('inbound_status_code')
}

/** The prompt of a stream whose answer will tell no usage; of all others none. */
type CallSeen = { readonly prompt: CountedText | undefined }

function checkRequest(message: Message, call: CallSeen | undefined, options: TokenCounterOptions): Answer {
  const { caps, now } = options
  for (const router of routersOf(message)) {
    const seconds = caps.retryAfter(router, now())
    if (seconds === undefined) continue
    return {
      control: { Error: 'Consumption Cap Exceeded. Try again later', Path: router },
      control_status_code: 429,
      control_headers: { 'Retry-After': [String(seconds)] },
    }
  }
  // The call doesn't wait for it, and an estimate never rejects.
  if (call !== undefined && routersOf(message).some(caps.isCapped)) void bookCall(message, call, options)
  return undefined
}

async function bookCall(message: Message, { prompt }: CallSeen, options: TokenCounterOptions): Promise<void> {
  if (prompt === undefined) return bookOn(calledRouter(message), TELLING_CALL, options)
  const counts = silentStream(await options.estimate(prompt.beginning, prompt.length))
  bookOn(routersOf(message), counts, options)
}

function countResponse(message: Message, options: TokenCounterOptions): Answer | Promise<Answer> {
  if (!isSuccess(message.get('inbound_status_code'))) return undefined
  const counts = options.readUsage(routersOf(message), message)
  if (counts !== undefined) return booked(message, counts, options)
  return estimateResponse(message, wholeText(answerText(message.get('inbound_payload'))), options)
}

/** The prompt's tokens can't be known from the answer, nor a total without them. */
async function estimateResponse(
  message: Message,
  text: CountedText | undefined,
  options: TokenCounterOptions,
): Promise<Answer> {
  if (text === undefined) return undefined
  const tokens = await options.estimate(text.beginning, text.length)
  return booked(message, new Map([['completion_tokens', tokens]]), options, true)
}

function booked(message: Message, counts: TokenCounts, options: TokenCounterOptions, estimated = false): Answer {
  book(message, counts, options)
  return { token_count: { ...Object.fromEntries(counts), ...(estimated ? { estimated: true } : {}) } }
}

function book(message: Message, counts: TokenCounts, options: TokenCounterOptions): void {
  bookOn(routersOf(message), countsForCaps(counts), options)
  bookOn(calledRouter(message), countsOfAnswer(counts), options)
}

function bookOn(routers: readonly string[], counts: TokenCounts, { caps, now, logger }: TokenCounterOptions): void {
  for (const router of routers) {
    const field = caps.book(router, counts, now())
    if (field !== undefined) logger.info({ router, field }, 'consumption cap reached')
  }
}

/** The one that callers know. Calls are counted there alone: of a router that answers for others no row sees all requests. */
function calledRouter(message: Message): readonly string[] {
  return routersOf(message).slice(-1)
}

function wholeText(text: string | undefined): CountedText | undefined {
  return text === undefined ? undefined : { beginning: text, length: text.length }
}

/** The router that answers, then the one that was called where that is another. */
export function routersOf(message: Message): readonly string[] {
  const paths = new Set([message.get('gl_path'), message.get('original_gl_path')])
  return [...paths].filter((path) => typeof path === 'string')
}

function isSuccess(status: unknown): boolean {
  return typeof status === 'number' && status >= 200 && status <= 299
}
