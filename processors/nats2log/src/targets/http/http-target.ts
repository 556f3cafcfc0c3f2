import { errorCode } from '@llm-gateway/sdk'
import { Agent, request } from 'undici'
import type { Trust } from '../outbound-tls.ts'
import type { Failure } from '../writer.ts'

export type HttpRequest = {
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT' | 'GET' | 'HEAD'
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Uint8Array
}

export type HttpOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** Retry-After, in milliseconds from now. */
      readonly retryAfterMs: number | undefined
      /** Empty when the answer was larger than 4 MiB or broke off. */
      readonly text: string
    }
  | { readonly kind: 'failed'; readonly code: string }

/** An HTTP target with kept-alive connections. */
export type HttpTarget = {
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpOutcome>
  close(): Promise<void>
}

export type HttpTargetOptions = {
  readonly tls: Trust
  readonly connections: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Default: `TIME_LIMITS`. */
  readonly timeLimits?: TimeLimits
}

/** The time for a request and its answer: `answerMs`, and for each `bytesPerSecond` of the body a second more. */
type TimeLimits = { readonly answerMs: number; readonly bytesPerSecond: number }

const CONNECT_TIMEOUT_MS = 10_000
/** With one limit for all sizes a large record would never reach a target behind a slow line. */
const TIME_LIMITS: TimeLimits = { answerMs: 30_000, bytesPerSecond: 128 * 1024 }
const ANSWER_BYTES = 4 * 1024 * 1024
/**
 * The statuses that may concern the content of a request. Others pass by themselves, or concern the address, the key, the
 * headers or an unpaid bill: every record would be refused and lost, so the sink tries again until somebody corrects that.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 413, 422])

/** Makes a target whose connections share trusted certificates and a limit. */
export function createHttpTarget(options: HttpTargetOptions): HttpTarget {
  const { tls, connections, now, timeLimits: { answerMs, bytesPerSecond } = TIME_LIMITS } = options
  // The signal of a request is its only time limit.
  const connect = { ...tls, timeout: CONNECT_TIMEOUT_MS }
  const agent = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0, connect })
  return {
    send: async ({ method = 'POST', url, headers, body }) => {
      const signal = AbortSignal.timeout(answerMs + Math.ceil((body.length / bytesPerSecond) * 1_000))
      try {
        const answer = await request(url, { dispatcher: agent, method, headers, body, signal })
        const text = await limitedText(answer.body)
        const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now())
        return { kind: 'answered', status: answer.statusCode, retryAfterMs, text }
      } catch (error) {
        return { kind: 'failed', code: signal.aborted ? 'TIMEOUT' : errorCode(error) }
      }
    },
    // No request is under way; only idle connections are left.
    close: () => agent.destroy(),
  }
}

/** Returns the failure of a status that isn't a success. */
export function failureOfStatus(status: number): Failure {
  return { code: `HTTP_${status}`, again: !REFUSALS.has(status) }
}

/** Returns whether a target refuses a request for good; of several records, perhaps only some are at fault. */
export function isRefusal(outcome: HttpOutcome): boolean {
  return outcome.kind === 'answered' && REFUSALS.has(outcome.status)
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/**
 * Reads the body, so that the connection can be reused. A body above the limit is given up with its connection. The
 * status has come by then and counts: a record that is sent again because of the body would be there twice.
 */
async function limitedText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > ANSWER_BYTES) return ''
      chunks.push(chunk)
    }
  } catch {
    return '' // broken off, or no end within the time limit
  }
  return Buffer.concat(chunks).toString()
}

/** Parses Retry-After, seconds or a date (RFC 9110, 10.2.3), to milliseconds. */
function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  // Without this check `-5` would be a day in May.
  const date = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
