import { errorCode } from '@llm-gateway/sdk'
import { Agent, request } from 'undici'
import type { Trust } from './outbound-tls.ts'
import type { Attempt, Writer } from './writer.ts'

export type RestTarget = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly tls: Trust
}

/** Records on their way at the same time; they start in order, the target may see them in another. */
const CONCURRENCY = 8
const CONNECT_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = 30_000
const FAILURES_WORTH_A_RETRY = new Set([408, 425, 429])

/** Posts each record on its own (wire, 1.2); any 2xx is a delivery. */
export function createRestWriter(target: RestTarget): Writer {
  const headers = headerList(target.headers)
  const agent = new Agent({
    connections: CONCURRENCY,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    connect: { ...target.tls, timeout: CONNECT_TIMEOUT_MS },
  })
  return {
    batch: { records: 1, bytes: 0 },
    concurrency: CONCURRENCY,
    open: async () => undefined,
    write: async ([record]) =>
      record === undefined ? { delivered: 0 } : await post(record, { agent, url: target.url, headers }),
    // Nothing is under way any more, so what is left are idle connections.
    close: () => agent.destroy(),
  }
}

type Place = { readonly agent: Agent; readonly url: URL; readonly headers: Record<string, string | string[]> }

async function post(record: Uint8Array, { agent, url, headers }: Place): Promise<Attempt> {
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body: record,
      signal,
    })
    await body.dump()
    if (statusCode >= 200 && statusCode < 300) return { delivered: 1 }
    const again = statusCode >= 500 || FAILURES_WORTH_A_RETRY.has(statusCode)
    return { delivered: 0, failure: { code: `HTTP_${statusCode}`, again } }
  } catch (error) {
    return { delivered: 0, failure: { code: errorCode(error), again: true } }
  }
}

/** The configured headers, JSON's type where they name none. */
function headerList(configured: RestTarget['headers']): Record<string, string | string[]> {
  const named = Object.entries(configured).map(([name, values]) => {
    return [name, typeof values === 'string' ? values : [...values]] as const
  })
  const typed = named.some(([name]) => name.toLowerCase() === 'content-type')
  return { ...(typed ? {} : { 'Content-Type': 'application/json' }), ...Object.fromEntries(named) }
}
