import { ErrorCode, NatsError } from 'nats'
import type { WriteOutcome } from './key-value.ts'

/** The store's answer to an operation. */
export type StoreAnswer<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  /** `nobody`: the bucket or the whole store doesn't exist; `failed`: no connection, or no answer in time. */
  | { readonly kind: 'silent'; readonly reason: 'nobody' | 'too large' | 'failed' }

/** Error numbers of JetStream (nats-server, errors.json). */
const STREAM_NOT_FOUND = 10_059
const WRONG_LAST_SEQUENCE = 10_071
const MESSAGE_TOO_LARGE = 10_054
const STORE_FAILED = 10_077
const NO_JETSTREAM: ReadonlySet<number> = new Set([10_035, 10_039, 10_076])
const FULL: ReadonlySet<number> = new Set([
  10_023, // insufficient resources
  10_028, // memory resources exceeded
  10_047, // storage resources exceeded
])
const UNAVAILABLE = { kind: 'failed', error: 'unavailable' } as const

/** Calls the client and returns its errors as an answer. */
export async function storeAnswer<Value>(operation: () => Promise<Value>): Promise<StoreAnswer<Value>> {
  try {
    return { kind: 'done', value: await operation() }
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): Exclude<StoreAnswer<never>, { kind: 'done' }> {
  if (!(error instanceof NatsError)) return { kind: 'silent', reason: 'failed' }
  if (error.api_error !== undefined) {
    const { err_code: code = 0, description } = error.api_error
    return NO_JETSTREAM.has(code) ? { kind: 'silent', reason: 'nobody' } : { kind: 'refused', code, description }
  }
  if (error.code === ErrorCode.MaxPayloadExceeded) return { kind: 'silent', reason: 'too large' }
  const isNobody = error.code === ErrorCode.NoResponders || error.code === ErrorCode.JetStreamNotEnabled
  return { kind: 'silent', reason: isNobody ? 'nobody' : 'failed' }
}

/** Returns whether the operation failed because the bucket is missing; a write to a missing bucket has no responder. */
export function isBucketMissing(answer: StoreAnswer<unknown>): boolean {
  if (answer.kind === 'silent') return answer.reason === 'nobody'
  return answer.kind === 'refused' && answer.code === STREAM_NOT_FOUND
}

export function writeOutcome(answer: StoreAnswer<number>): WriteOutcome {
  switch (answer.kind) {
    case 'done':
      return { kind: 'written', revision: answer.value }
    case 'refused':
      return refusedWrite(answer.code, answer.description)
    case 'silent':
      return answer.reason === 'too large' ? { kind: 'failed', error: 'too large' } : UNAVAILABLE
    default:
      return answer satisfies never
  }
}

function refusedWrite(code: number, description: string): WriteOutcome {
  if (code === WRONG_LAST_SEQUENCE) return { kind: 'conflict' }
  if (code === MESSAGE_TOO_LARGE) return { kind: 'failed', error: 'too large' }
  // JetStream uses one number for every failed write; only the text shows that the store is full.
  const isFull = FULL.has(code) || (code === STORE_FAILED && description.startsWith('maximum '))
  return isFull ? { kind: 'failed', error: 'full' } : UNAVAILABLE
}
