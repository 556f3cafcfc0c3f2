import { decodeMessage, isJsonObject } from '@llm-gateway/protocol'
import { AnswerText } from '@llm-gateway/sdk'
import { type Headers, textsOf } from './replayed-headers.ts'

/** An answer of a router, to be replayed. */
export type Recording = {
  readonly status: number
  readonly headers: Headers
  /** The value of `egress_payload`: JSON, a text or null. */
  readonly payload: unknown
}

/**
 * Encodes a recording for memory and the key-value store; undefined when it is nested deeper than the stack allows. The
 * payload is last, so that a replay finds its text by `PAYLOAD`.
 */
export function encodeRecording({ status, headers, payload }: Recording): Uint8Array | undefined {
  try {
    return Buffer.from(JSON.stringify({ status, headers, payload }))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The end of the headers and the name of the payload. Quotes in header values are escaped, so no header contains it. */
const PAYLOAD = Buffer.from('},"payload":')
const CLOSING_BRACE = 0x7d
const END = Buffer.from('}')
const REPLAYED_PAYLOAD = Buffer.from('{"egress_payload":')
/** The most bytes before a payload: no gateway takes so many headers from an LLM API. */
const HEAD_BYTES = 256 * 1024

/**
 * Makes the answer that replays a recording. The payload's text is taken as it is and never parsed: a megabyte of `{},`
 * takes 40 ms to parse and a hundred times its size in memory. Undefined for bytes that no mock has written, since any
 * program on the bus may write into the store. The gateway refuses a reply whose payload isn't JSON, and takes only the
 * fields of the row's `output_fields_write` from a text that adds others.
 */
export function replayOf(bytes: Uint8Array): AnswerText | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const headersEnd = text.subarray(0, HEAD_BYTES).indexOf(PAYLOAD)
  const start = headersEnd + PAYLOAD.length
  const end = text.length - 1
  if (headersEnd < 0 || start >= end || text[end] !== CLOSING_BRACE) return undefined
  const head = decodeMessage(Buffer.concat([text.subarray(0, headersEnd + 1), END]))
  const status = head?.get('status')
  const headers = headersOf(head?.get('headers'))
  if (!isReplayableStatus(status) || headers === undefined) return undefined
  const rest = `,"egress_headers":${JSON.stringify(headers)},"egress_status_code":${status}}`
  return new AnswerText([REPLAYED_PAYLOAD, text.subarray(start, end), Buffer.from(rest)])
}

/** Returns whether the gateway lets a processor set this status (docs/reference/bus.md#fields-with-an-effect). */
export function isReplayableStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
}

function headersOf(value: unknown): Headers | undefined {
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value).map(([name, values]) => [name, textsOf(values) ?? []] as const)
  return entries.every(([, texts]) => texts.length > 0) ? Object.fromEntries(entries) : undefined
}
