import { isJsonObject } from '@llm-gateway/protocol'
import { isReplayableStatus, type Recording } from './recording.ts'
import { replayedHeaders } from './replayed-headers.ts'
import { isRouterPath, replayedRouter } from './router-path.ts'

/** What a response message tells: an answer to record, for one router or two, or why there is none. */
export type Taken =
  | { readonly kind: 'answer'; readonly routers: readonly string[]; readonly recording: Recording }
  | NotRecorded

export const NOT_RECORDED = ['replay', 'no answer', 'cut', 'incomplete message'] as const
export type NotRecorded = { readonly kind: 'not recorded'; readonly reason: (typeof NOT_RECORDED)[number] }

export type TakeOptions = {
  /** Routers below it replay; their answers aren't recorded. */
  readonly routersPrefix: string
  readonly sessionHeader: string
}

/** The status of a call whose caller left (docs/reference/record.md#response). */
const CALLER_GONE = 499
/** Entries of `error` that tell that the answer is missing, incomplete or unreadable. */
const BROKEN: ReadonlySet<unknown> = new Set(['outbound', 'inbound_payload'])

/**
 * Reads the message of an answer on its way to the caller; after a re-route it is recorded for both routers
 * (docs/reference/processors.md#mock).
 */
export function takeRecording(message: ReadonlyMap<string, unknown>, options: TakeOptions): Taken {
  const paths = [...new Set([message.get('gl_path'), message.get('original_gl_path')])]
  if (paths.some((path) => replayedRouter(options.routersPrefix, path) !== undefined)) return not('replay')
  const routers = paths.filter(isRouterPath)
  if (routers.length === 0 || !message.has('egress_payload')) return not('incomplete message')
  const status = message.get('egress_status_code')
  const payload = message.get('egress_payload')
  if (!isReplayableStatus(status) || status === CALLER_GONE || isGatewayError(message)) return not('no answer')
  if (isCut(payload)) return not('cut')
  const headers = replayedHeaders(message.get('egress_headers'), options.sessionHeader)
  return { kind: 'answer', routers, recording: { status, headers, payload } }
}

function not(reason: NotRecorded['reason']): Taken {
  return { kind: 'not recorded', reason }
}

/**
 * No answer came from the LLM API. `error` tells it where the row sends that field, else the header `Gateway-Error`
 * (docs/reference/http.md#errors).
 */
function isGatewayError(message: ReadonlyMap<string, unknown>): boolean {
  const errors = message.get('error')
  if (Array.isArray(errors)) return errors.some((entry) => isJsonObject(entry) && BROKEN.has(entry.name))
  const headers = message.get('egress_headers')
  return isJsonObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'gateway-error')
}

/** Whether the payload is what replaces a payload that was too large (docs/reference/record.md#cuts). */
function isCut(payload: unknown): boolean {
  if (!isJsonObject(payload) || Object.keys(payload).length !== 3) return false
  return payload.cut === true && typeof payload.bytes === 'number' && typeof payload.head === 'string'
}
