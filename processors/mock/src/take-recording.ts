import { isJsonObject } from '@llm-gateway/protocol'
import { isReplayableStatus, type Recording } from './recording.ts'
import { replayedHeaders } from './replayed-headers.ts'
import { isRouterPath, replayedRouter } from './router-path.ts'

/** The content of a response message: an answer to record, for one router or two, or the reason for none. */
export type RecordingOutcome =
  | { readonly kind: 'answer'; readonly routers: readonly string[]; readonly recording: Recording }
  | NotRecorded

export const NOT_RECORDED = ['replay', 'no answer', 'cut', 'incomplete message'] as const
export type NotRecorded = { readonly kind: 'not recorded'; readonly reason: (typeof NOT_RECORDED)[number] }

export type TakeOptions = {
  /** The prefix of replay routers, whose answers aren't recorded. */
  readonly routersPrefix: string
  readonly sessionHeader: string
}

/** The status of a call whose caller left (docs/reference/record.md#response). */
const CALLER_GONE = 499
/** Entries of `error` for a missing, incomplete or unreadable answer. */
const BROKEN: ReadonlySet<unknown> = new Set(['outbound', 'inbound_payload'])

/**
 * Reads the message of an answer on its way to the caller. After a re-route the answer is recorded for both routers
 * (docs/reference/processors.md#mock).
 */
export function takeRecording(message: ReadonlyMap<string, unknown>, options: TakeOptions): RecordingOutcome {
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

function not(reason: NotRecorded['reason']): RecordingOutcome {
  return { kind: 'not recorded', reason }
}

/**
 * Returns whether the LLM API gave no usable answer: by `error` where the row selects that field, else by the header
 * `Gateway-Error` (docs/reference/http.md#errors).
 */
function isGatewayError(message: ReadonlyMap<string, unknown>): boolean {
  const errors = message.get('error')
  if (Array.isArray(errors)) return errors.some((entry) => isJsonObject(entry) && BROKEN.has(entry.name))
  const headers = message.get('egress_headers')
  return isJsonObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'gateway-error')
}

/** Returns whether the payload is the replacement of a payload that was too large (docs/reference/record.md#cuts). */
function isCut(payload: unknown): boolean {
  if (!isJsonObject(payload) || Object.keys(payload).length !== 3) return false
  return payload.cut === true && typeof payload.bytes === 'number' && typeof payload.head === 'string'
}
