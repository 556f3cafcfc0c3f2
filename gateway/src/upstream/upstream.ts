import type { UpstreamCode } from '../errors.ts'
import type { HeaderMap } from '../http/headers.ts'
import type { LeasedMemory } from '../memory/leased-memory.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import type { InboundBody } from './inbound-body.ts'

export type UpstreamRequest = {
  /** scheme://host[:port] */
  readonly origin: string
  /** Path and query as sent on the wire. */
  readonly path: string
  readonly method: string
  readonly headers: HeaderMap
  readonly body: Buffer | undefined
  /** The memory of the body where the gateway frees it by hand; each write of the body holds a lease. */
  readonly memory: LeasedMemory | undefined
  /** The call's part of the memory account. */
  readonly account: CallMemory
  /** The most milliseconds until the answer's head. */
  readonly headersTimeoutMs: number
  /** The most milliseconds without a byte of the answer after its head. */
  readonly silenceTimeoutMs: number
}

export type InboundAnswer = { readonly status: number; readonly headers: HeaderMap; readonly body: InboundBody }

export type UpstreamAnswer =
  | { readonly kind: 'answered'; readonly inbound: InboundAnswer }
  /** OVERLOADED: the memory account had no room for the answer's head. */
  | { readonly kind: 'failed'; readonly code: UpstreamCode | 'OVERLOADED' }

/** The connections to LLM APIs. */
export type Upstream = {
  /**
   * Sends a request and resolves at the answer's head; never rejects. A call whose bytes have left is never repeated.
   */
  send(request: UpstreamRequest, signal: CancelSignal): Promise<UpstreamAnswer>
  close(): Promise<void>
}

/** A signal that is given once, when the caller has left. */
export type CancelSignal = { readonly cancelled: boolean; onCancel(listener: () => void): void }
