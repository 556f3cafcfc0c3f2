import { decodeMessage, isJsonObject } from '@llm-gateway/protocol'
import type { KeyValueEntry, WriteOutcome } from './key-value.ts'
import type { LinkReply } from './key-value-link.ts'

/** What the store says to a write or to a request. */
export type StoreAnswer =
  | { readonly kind: 'done'; readonly fields: ReadonlyMap<string, unknown> }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'silent'; readonly reason: Exclude<LinkReply['kind'], 'message'> }

/** The last message about a key: a value, or the mark that a deleted key leaves behind. */
export type LastMessage =
  | { readonly kind: 'found'; readonly entry: KeyValueEntry }
  | { readonly kind: 'deleted'; readonly revision: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: 'unavailable' }

/** Numbers of the store's errors (nats-server, errors.json). */
export const STREAM_NAME_IN_USE = 10_058
const STREAM_NOT_FOUND = 10_059
const NO_MESSAGE_FOUND = 10_037
const WRONG_LAST_SEQUENCE = 10_071
const MESSAGE_TOO_LARGE = 10_054
const STORE_FAILED = 10_077
const FULL: ReadonlySet<number> = new Set([
  10_023, // insufficient resources
  10_028, // memory resources exceeded
  10_047, // storage resources exceeded
])
const UNAVAILABLE = { kind: 'failed', error: 'unavailable' } as const

/** The header that tells the mark of a deleted key from a value. */
export const OPERATION_HEADER = 'KV-Operation'

export function storeAnswer(reply: LinkReply): StoreAnswer {
  if (reply.kind !== 'message') return { kind: 'silent', reason: reply.kind }
  const fields = decodeMessage(reply.message.bytes)
  if (fields === undefined) return { kind: 'refused', code: 0, description: '' }
  const error = fields.get('error')
  if (!isJsonObject(error)) return { kind: 'done', fields }
  const { err_code: code, description } = error
  return {
    kind: 'refused',
    code: typeof code === 'number' ? code : 0,
    description: typeof description === 'string' ? description : '',
  }
}

/** Whether it was asked for something in a bucket that isn't there; writes to one have no receiver. */
export function isBucketMissing(answer: StoreAnswer): boolean {
  if (answer.kind === 'silent') return answer.reason === 'nobody'
  return answer.kind === 'refused' && answer.code === STREAM_NOT_FOUND
}

export function writeOutcome(answer: StoreAnswer): WriteOutcome {
  switch (answer.kind) {
    case 'done':
      return written(answer.fields.get('seq'))
    case 'refused':
      return refusedWrite(answer.code, answer.description)
    case 'silent':
      return answer.reason === 'too large' ? { kind: 'failed', error: 'too large' } : UNAVAILABLE
    default:
      return answer satisfies never
  }
}

export function lastMessage(answer: StoreAnswer): LastMessage {
  if (answer.kind === 'refused' && answer.code === NO_MESSAGE_FOUND) return { kind: 'missing' }
  const message = answer.kind === 'done' ? answer.fields.get('message') : undefined
  if (!isJsonObject(message)) return UNAVAILABLE
  const { seq: revision, data = '', hdrs = '' } = message
  if (typeof revision !== 'number' || typeof data !== 'string' || typeof hdrs !== 'string') return UNAVAILABLE
  if (Buffer.from(hdrs, 'base64').includes(OPERATION_HEADER)) return { kind: 'deleted', revision }
  return { kind: 'found', entry: { value: Buffer.from(data, 'base64'), revision } }
}

function written(revision: unknown): WriteOutcome {
  return typeof revision === 'number' ? { kind: 'written', revision } : UNAVAILABLE
}

function refusedWrite(code: number, description: string): WriteOutcome {
  if (code === WRONG_LAST_SEQUENCE) return { kind: 'conflict' }
  if (code === MESSAGE_TOO_LARGE) return { kind: 'failed', error: 'too large' }
  // One number for all that a store may refuse; only the text tells them apart.
  const isFull = FULL.has(code) || (code === STORE_FAILED && description.startsWith('maximum '))
  return isFull ? { kind: 'failed', error: 'full' } : UNAVAILABLE
}
