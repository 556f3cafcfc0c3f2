import { cutBody } from '../bus/cut-payload.ts'
import { MOST_RECORD_BYTES } from '../bus/record-publisher.ts'
import { base64Json } from '../json/base64-json.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { Scanned } from '../json/scanned.ts'
import type { Slice, WorkQueue } from '../work/work-queue.ts'

/**
 * One of the four payloads: its bytes as they came, their kind, and the payload's form in a record and in messages to
 * processors: JSON without white space outside its strings, text as a JSON string, else base64
 * (docs/reference/record.md#payloads).
 */
export type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'json' | 'text' | 'binary'; readonly bytes: Buffer; readonly shown: JsonText }

/** Text that is part of a JSON document: a string, bytes that are spliced as they are, or a value that the bus would not take. */
export type JsonText = string | Uint8Array | OversizedText

/** A value too large for any message: a record shows its beginning, and no processor is called with it. */
export class OversizedText {
  /** `{"cut":true,"bytes":n,"head":"first 4 KiB"}` (docs/reference/record.md#cuts). */
  readonly cutJson: string
  readonly bytes: number

  /** `start`: at least the body's first 4 KiB; `bytes`: of all of it. */
  constructor(start: Uint8Array, bytes: number) {
    this.bytes = bytes
    this.cutJson = cutBody(start, bytes)
  }
}

export const noPayload: Payload = { kind: 'none' }

/** JSON of the gateway's own, or of a processor's reply: judged, and without white space outside strings. */
export function jsonPayload(bytes: Buffer): Payload {
  return { kind: 'json', bytes, shown: bytes }
}

/** An answer's body of which only the beginning was kept: it was larger than the record takes. */
export function oversizedPayload(start: Buffer, bytes: number): Payload {
  return { kind: 'binary', bytes: start, shown: new OversizedText(start, bytes) }
}

/** The means to make payloads. `most`: bytes of the largest value that is shown. */
export type PayloadContext = { readonly json: JsonEngine; readonly most: number; readonly slice: Slice }

/**
 * The payload of bytes that were judged; no promise up to 64 KiB. What would take too many bytes where it is shown
 * is oversized: nothing is made of it.
 */
export function payloadOf(
  bytes: Buffer,
  { kind, spaces }: Pick<Scanned, 'kind' | 'spaces'>,
  context: PayloadContext,
): Payload | Promise<Payload> {
  if (bytes.length === 0) return noPayload
  const shown = shownText(bytes, { kind, spaces }, context)
  return shown instanceof Promise ? shown.then((text) => ({ kind, bytes, shown: text })) : { kind, bytes, shown }
}

function shownText(
  bytes: Buffer,
  { kind, spaces }: Pick<Scanned, 'kind' | 'spaces'>,
  context: PayloadContext,
): JsonText | Promise<JsonText> {
  const { json, most, slice } = context
  const orOversized = (text: Buffer | undefined): JsonText => text ?? new OversizedText(bytes, bytes.length)
  switch (kind) {
    case 'json':
      if (bytes.length - spaces > most) return new OversizedText(bytes, bytes.length)
      return spaces === 0 ? bytes : json.compact(bytes, spaces, slice)
    case 'text':
      return mapped(json.string(bytes, most, slice), orOversized)
    case 'binary':
      return mapped(base64Json(bytes, most, slice), orOversized)
    default:
      return kind satisfies never
  }
}

function mapped<From, To>(value: From | Promise<From>, map: (from: From) => To): To | Promise<To> {
  return value instanceof Promise ? value.then(map) : map(value)
}

/** A payload in a record or a processor's message. */
export function payloadJson(payload: Payload): JsonText {
  return payload.kind === 'none' ? 'null' : payload.shown
}

export function payloadBytes(payload: Payload): Buffer | undefined {
  return payload.kind === 'none' ? undefined : payload.bytes
}

/** No message to a processor and no record holds a larger value than the bus takes. */
export function payloadContext({ bus, json, work }: PayloadContextParts): PayloadContext {
  return { json, most: Math.min(bus.maxPayload ?? MOST_RECORD_BYTES, MOST_RECORD_BYTES), slice: work.begin() }
}

type PayloadContextParts = {
  readonly bus: { readonly maxPayload: number | undefined }
  readonly json: JsonEngine
  readonly work: WorkQueue
}

/** Bytes that a payload holds beside those that came. */
export function shownBytes(payload: Payload): number {
  if (payload.kind === 'none' || payload.shown === payload.bytes) return 0
  return payload.shown instanceof Uint8Array ? payload.shown.length : 0
}
