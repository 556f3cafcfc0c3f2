import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { createUndiciUpstream, type UpstreamOptions } from './undici-upstream.ts'
import type { CancelSignal, Upstream, UpstreamRequest } from './upstream.ts'

/** The signal of a caller that stays. */
export const STAYS: CancelSignal = { cancelled: false, onCancel: () => undefined }

/** A request without a body, whose times in milliseconds are all `timeoutMs`. */
export function requestTo(origin: string, timeoutMs: number): UpstreamRequest {
  return {
    origin,
    path: '/',
    method: 'GET',
    headers: new Map(),
    body: undefined,
    memory: undefined,
    account: new MemoryAccount(1_000_000).open('/llm/', new MemoryShare()),
    headersTimeoutMs: timeoutMs,
    silenceTimeoutMs: timeoutMs,
  }
}

/** Creates an upstream that trusts each certificate. */
export function upstreamUnderTest(options: Partial<UpstreamOptions>): Upstream {
  const tls = { rejectUnauthorized: false, ca: [] }
  const defaults = { connectTimeoutMs: 60_000, maxHeaderBytes: 65_536, tls, deny: undefined, proxyFor: undefined }
  return createUndiciUpstream({ ...defaults, ...options })
}
