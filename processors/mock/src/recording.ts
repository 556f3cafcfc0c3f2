import { decodeMessage, isJsonObject } from '@llm-gateway/protocol'
import { type Headers, textsOf } from './replayed-headers.ts'

/** One answer of a router, as a replay gives it again. */
export type Recording = {
  readonly status: number
  readonly headers: Headers
  /** What `egress_payload` was: JSON, a text or null. */
  readonly payload: unknown
}

/** A recording as it is kept, here and in the key-value store; undefined where it is nested deeper than the stack allows. */
export function encodeRecording(recording: Recording): Uint8Array | undefined {
  try {
    return Buffer.from(JSON.stringify(recording))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Undefined where the bytes, which anybody on the bus may have written, are no recording. */
export function decodeRecording(bytes: Uint8Array): Recording | undefined {
  const fields = decodeMessage(bytes)
  const status = fields?.get('status')
  const headers = headersOf(fields?.get('headers'))
  if (fields === undefined || !isReplayableStatus(status) || headers === undefined) return undefined
  return { status, headers, payload: fields.get('payload') ?? null }
}

/** Whether the gateway lets a processor set this status (docs/reference/bus.md#fields-with-an-effect). */
export function isReplayableStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
}

function headersOf(value: unknown): Headers | undefined {
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value).map(([name, values]) => [name, textsOf(values) ?? []] as const)
  return entries.every(([, texts]) => texts.length > 0) ? Object.fromEntries(entries) : undefined
}
