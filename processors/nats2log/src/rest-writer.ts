import { Agent, request } from 'undici'
import { errorCode } from './error-code.ts'
import type { Attempt, Writer } from './writer.ts'

export type RestTarget = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca: string[] }
}

/** Records on their way at the same time; they start in order, the target may see them in another. */
const CONCURRENCY = 8
const CONNECT_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = 30_000
const FAILURES_WORTH_A_RETRY = new Set([408, 425, 429])

/** Posts each record on its own (wire, 1.2); any 2xx is a delivery. */
export function createRestWriter(target: RestTarget): Writer {
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
    write: async ([record]) => (record === undefined ? { delivered: 0 } : await post(agent, target, record)),
    // Nothing is under way any more, so what is left are idle connections.
    close: () => agent.destroy(),
  }
}

async function post(agent: Agent, { url, headers }: RestTarget, record: Uint8Array): Promise<Attempt> {
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
