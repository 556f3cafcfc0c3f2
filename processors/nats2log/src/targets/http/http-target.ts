import { errorCode } from '@llm-gateway/sdk'
import { Agent, request } from 'undici'
import type { Trust } from '../outbound-tls.ts'
import type { Failure } from '../writer.ts'

export type HttpPost = {
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT' | 'GET'
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Uint8Array
}

export type HttpOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The target's clock (Date) in milliseconds since the epoch; undefined when the answer lacks it. */
      readonly date: number | undefined
      /** Retry-After, in milliseconds from now. */
      readonly retryAfterMs: number | undefined
      /** Empty when the answer was larger than 4 MiB. */
      readonly text: string
    }
  | { readonly kind: 'failed'; readonly code: string }

/** An HTTP target with kept-alive connections. */
export type HttpTarget = {
  /** Never rejects. */
  post(post: HttpPost): Promise<HttpOutcome>
  close(): Promise<void>
}

export type HttpTargetOptions = {
  readonly tls: Trust
  readonly connections: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const CONNECT_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = 30_000
const ANSWER_BYTES = 4 * 1024 * 1024
/**
 * Statuses that ask for a later try, or that concern the address or the key, which an operator can correct. Every other
 * record would fail in the same way.
 */
const FAILURES_WORTH_A_RETRY = new Set([401, 403, 404, 405, 407, 408, 425, 429])

/** Makes a target whose connections share trusted certificates and a limit. */
export function createHttpTarget({ tls, connections, now }: HttpTargetOptions): HttpTarget {
  const agent = new Agent({
    connections,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    connect: { ...tls, timeout: CONNECT_TIMEOUT_MS },
  })
  return {
    post: async ({ method = 'POST', url, headers, body }) => {
      try {
        const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
        const answer = await request(url, { dispatcher: agent, method, headers, body, signal })
        const text = await limitedText(answer.body)
        const date = parseDate(answer.headers.date)
        const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now())
        return { kind: 'answered', status: answer.statusCode, date, retryAfterMs, text }
      } catch (error) {
        return { kind: 'failed', code: errorCode(error) }
      }
    },
    // No request is under way; only idle connections are left.
    close: () => agent.destroy(),
  }
}

/** Returns the failure of a status that isn't a success. */
export function failureOfStatus(status: number): Failure {
  return { code: `HTTP_${status}`, again: status >= 500 || status < 400 || FAILURES_WORTH_A_RETRY.has(status) }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Reads the whole body, so that the connection can be reused, but keeps no more than the limit. */
async function limitedText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes <= ANSWER_BYTES) chunks.push(chunk)
  }
  return bytes > ANSWER_BYTES ? '' : Buffer.concat(chunks).toString()
}

/** Parses Retry-After, seconds or a date (RFC 9110, 10.2.3), to milliseconds. */
function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const date = parseDate(value)
  return date === undefined ? undefined : Math.max(0, date - now)
}

function parseDate(value: string | string[] | undefined): number | undefined {
  const date = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : date
}
