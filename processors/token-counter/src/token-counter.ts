import type { Answer, Logger } from '@llm-gateway/sdk'
import type { Caps } from './caps.ts'
import { answerText, promptText } from './estimated-text.ts'
import { type CountedText, largeReading } from './large-reading.ts'
import { CALL_WITH_USAGE, countsOfAnswer, streamWithoutUsage } from './streams-without-usage.ts'
import { countsForCaps, type ReadUsage, type TokenCounts } from './usage.ts'

export type TokenCounterOptions = {
  readonly caps: Caps
  readonly readUsage: ReadUsage
  /** Estimates the tokens of a text of a router. */
  readonly estimate: (text: CountedText, router: string) => Promise<number>
  readonly logger: Pick<Logger, 'info'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type Message = ReadonlyMap<string, unknown>

/**
 * Answers one message (docs/reference/processors.md#token-counter). In the request phase the reply is a control when
 * the router's cap is used up. In the response phase the reply has the tokens of a 2xx answer, booked on the router
 * that answered and on the router that was called.
 */
export function createTokenCounter(options: TokenCounterOptions): (message: Message) => Answer | Promise<Answer> {
  return (message) => {
    if (isResponse(message)) return countResponse(message, options)
    const payload = message.get('ingress_payload')
    // The response of a control answer has no `ingress_payload`, so it isn't counted as a call.
    const call = message.has('ingress_payload') ? { prompt: wholeText(promptText(payload)) } : undefined
    return checkRequest(message, call, options)
  }
}

/** Makes the function that answers a large message from the value that a thread returned for it. */
export function createConclusion(options: TokenCounterOptions): (value: unknown) => Answer | Promise<Answer> {
  return (value) => {
    const { phase, fields, usage, text } = largeReading(value)
    if (phase === 'request') return checkRequest(fields, { prompt: text }, options)
    if (!isSuccess(fields.get('inbound_status_code'))) return undefined
    const routers = routersOf(fields)
    return usage === undefined ? estimateResponse(routers, text, options) : booked(routers, usage, options)
  }
}

/**
 * Returns whether a message has a response's fields. The response of a control answer has neither field: it is treated
 * as a request, and nothing is booked.
 */
export function isResponse(message: Message): boolean {
  return message.has('inbound_payload') || message.has('inbound_status_code')
}

/** A call in the request phase; `prompt` is the text of a stream whose answer will not report usage. */
type CallSeen = { readonly prompt: CountedText | undefined }

function checkRequest(message: Message, call: CallSeen | undefined, options: TokenCounterOptions): Answer {
  const { caps, now } = options
  const routers = routersOf(message)
  for (const router of routers) {
    const seconds = caps.retryAfter(router, now())
    if (seconds === undefined) continue
    return {
      control: { Error: 'Consumption Cap Exceeded. Try again later', Path: router },
      control_status_code: 429,
      control_headers: { 'Retry-After': [String(seconds)] },
    }
  }
  // The call doesn't wait for the booking, and an estimate never rejects.
  if (call !== undefined && routers.some(caps.isCapped)) void bookCall(routers, call, options)
  return undefined
}

/**
 * Gets the routers in place of the message, and so does `estimateResponse`: while a text waits for its estimate, nothing
 * may keep its message, since a parsed message takes up to sixty times its bytes.
 */
async function bookCall(routers: readonly string[], { prompt }: CallSeen, options: TokenCounterOptions): Promise<void> {
  if (prompt === undefined) return bookOn(calledRouter(routers), CALL_WITH_USAGE, options)
  const [called = ''] = calledRouter(routers)
  const counts = streamWithoutUsage(await options.estimate(prompt, called))
  bookOn(routers, counts, options)
}

function countResponse(message: Message, options: TokenCounterOptions): Answer | Promise<Answer> {
  if (!isSuccess(message.get('inbound_status_code'))) return undefined
  const routers = routersOf(message)
  const counts = options.readUsage(routers, message)
  if (counts !== undefined) return booked(routers, counts, options)
  return estimateResponse(routers, wholeText(answerText(message.get('inbound_payload'))), options)
}

/** Estimates an answer's tokens. The prompt isn't known from the answer, and so neither is the total. */
async function estimateResponse(
  routers: readonly string[],
  text: CountedText | undefined,
  options: TokenCounterOptions,
): Promise<Answer> {
  if (text === undefined) return undefined
  const [called = ''] = calledRouter(routers)
  const tokens = await options.estimate(text, called)
  return booked(routers, new Map([['completion_tokens', tokens]]), options, true)
}

function booked(
  routers: readonly string[],
  counts: TokenCounts,
  options: TokenCounterOptions,
  estimated = false,
): Answer {
  book(routers, counts, options)
  return { token_count: { ...Object.fromEntries(counts), ...(estimated ? { estimated: true } : {}) } }
}

function book(routers: readonly string[], counts: TokenCounts, options: TokenCounterOptions): void {
  bookOn(routers, countsForCaps(counts), options)
  bookOn(calledRouter(routers), countsOfAnswer(counts), options)
}

function bookOn(routers: readonly string[], counts: TokenCounts, { caps, now, logger }: TokenCounterOptions): void {
  for (const router of routers) {
    const field = caps.book(router, counts, now())
    if (field !== undefined) logger.info({ router, field }, 'consumption cap reached')
  }
}

/**
 * Returns the router that the caller called. Calls are counted only on this router: the row of a router that answers
 * re-routed calls doesn't get their requests.
 */
function calledRouter(routers: readonly string[]): readonly string[] {
  return routers.slice(-1)
}

function wholeText(text: string | undefined): CountedText | undefined {
  return text === undefined ? undefined : { beginning: text, length: text.length }
}

/** Returns the router that answers, then the router that was called when that is another. */
export function routersOf(message: Message): readonly string[] {
  const paths = new Set([message.get('gl_path'), message.get('original_gl_path')])
  return [...paths].filter((path) => typeof path === 'string')
}

function isSuccess(status: unknown): boolean {
  return typeof status === 'number' && status >= 200 && status <= 299
}
