import type { ServerMessage } from './server-frames.ts'

/** The bus's answer to a published record. */
export type PublishAnswer =
  /** A stream stored the record; `stream` is its name. */
  | { readonly kind: 'stored'; readonly stream: string }
  | {
      readonly kind: 'refused'
      readonly code: StoreCode
      /** True where the bus says that the request is at fault, with the status 400. */
      readonly isPermanent: boolean
    }

/** The reason why the bus stores nothing: our own names, and nats-server's error numbers (errors.json). */
export type StoreCode = 'NO_STREAM' | 'NO_ANSWER' | 'NOT_ALLOWED' | 'ODD_ANSWER' | `STORE_${number}`

/** The error of a record that is larger than the stream takes. */
export const MESSAGE_TOO_LARGE: StoreCode = 'STORE_10054'

/** The error of a record that neither a stream nor a subscriber took. */
export const NOBODY_TOOK_IT: StoreCode = 'NO_STREAM'

const ODD_ANSWER = { kind: 'refused', code: 'ODD_ANSWER', isPermanent: false } as const
const NO_RESPONDERS_STATUS = 503
const BAD_REQUEST = 400
/** The number of nats-server's error for an account whose storage is used up. */
const LIMITS_EXCEEDED = 10_002
/** The longest answer read: an acknowledgement has under 200 bytes, an error one sentence more. */
const LONGEST_ANSWER = 4096
const ACKNOWLEDGEMENT = /^\{"stream":\s*"([\w-]{1,255})",(?:\s*"domain":\s*"[^"]{0,255}",)?\s*"seq":\s*[1-9]\d*\s*[,}]/

/** Reads an answer; text that is neither an acknowledgement nor an error counts as a refusal, ODD_ANSWER. */
export function readPublishAnswer({ status, text }: ServerMessage): PublishAnswer {
  if (status === NO_RESPONDERS_STATUS) return { kind: 'refused', code: NOBODY_TOOK_IT, isPermanent: false }
  if (text.length > LONGEST_ANSWER) return ODD_ANSWER
  // The expression matches the server's own format, so that no object is made for each record.
  const stream = ACKNOWLEDGEMENT.exec(text)?.[1]
  return stream === undefined ? readFields(text) : { kind: 'stored', stream }
}

function readFields(text: string): PublishAnswer {
  const fields = jsonFields(text)
  const code = errorCode(fields)
  if (code !== undefined) return { kind: 'refused', code, isPermanent: isRequestAtFault(fields) }
  const [stream, sequence] = [fields?.get('stream'), fields?.get('seq')]
  const isStored = typeof stream === 'string' && typeof sequence === 'number' && sequence > 0
  return isStored ? { kind: 'stored', stream } : ODD_ANSWER
}

/**
 * Returns true for the status 400, except where an account's storage is used up. Other statuses of 4xx are temporary:
 * 409 stands for a repeat of a record that another server is still storing, 429 for a full queue.
 */
function isRequestAtFault(fields: ReadonlyMap<string, unknown> | undefined): boolean {
  const error = entriesOf(fields?.get('error'))
  return error?.get('code') === BAD_REQUEST && error.get('err_code') !== LIMITS_EXCEEDED
}

/** Returns the members of a JSON object, undefined for any other text. */
export function jsonFields(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    return entriesOf(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function entriesOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map(Object.entries(value)) : undefined
}

/** Returns the code of an answer's error, undefined where the answer has none. */
export function errorCode(fields: ReadonlyMap<string, unknown> | undefined): StoreCode | undefined {
  const error = fields?.get('error')
  if (error === undefined) return undefined
  const code = entriesOf(error)?.get('err_code')
  return typeof code === 'number' ? `STORE_${code}` : 'ODD_ANSWER'
}
