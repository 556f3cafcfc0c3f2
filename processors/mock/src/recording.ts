import { decodeMessage, isJsonObject } from '@llm-gateway/protocol'
import { type Headers, textsOf } from './replayed-headers.ts'

/** An answer of a router, to be replayed. */
export type Recording = {
  readonly status: number
  readonly headers: Headers
  /** The value of `egress_payload`: JSON, a text or null. */
  readonly payload: unknown
}

/** Encodes a recording for memory and the key-value store; undefined when it is nested deeper than the stack allows. */
export function encodeRecording(recording: Recording): Uint8Array | undefined {
  try {
    return Buffer.from(JSON.stringify(recording))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Decodes a recording; undefined for malformed bytes, since any program on the bus may have written them. */
export function decodeRecording(bytes: Uint8Array): Recording | undefined {
  const fields = decodeMessage(bytes)
  const status = fields?.get('status')
  const headers = headersOf(fields?.get('headers'))
  if (fields === undefined || !isReplayableStatus(status) || headers === undefined) return undefined
  return { status, headers, payload: fields.get('payload') ?? null }
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
