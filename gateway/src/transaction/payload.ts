import { cutBody } from '../bus/cut-payload.ts'
import { MAX_RECORD_BYTES } from '../bus/record-publisher.ts'
import { base64Json } from '../json/base64-json.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { ScanResult } from '../json/scan-result.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import type { Slice, WorkQueue } from '../work/work-queue.ts'

/**
 * A payload of a transaction: its bytes, their kind, and the form shown in records and messages to processors. JSON is
 * shown without white space outside strings, text as a JSON string, other bytes as base64
 * (docs/reference/record.md#payloads).
 */
export type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'json' | 'text' | 'binary'; readonly bytes: Buffer; readonly shown: JsonText }

/** A part of a JSON document: a string, bytes that are spliced in unchanged, or a value too large for the bus. */
export type JsonText = string | Uint8Array | OversizedText

/** A value too large for any message: a record shows its beginning, and no processor is called with the value. */
export class OversizedText {
  /** `{"cut":true,"bytes":n,"head":"first 4 KiB"}` (docs/reference/record.md#cuts). */
  readonly cutJson: string
  readonly bytes: number

  /** `start` has at least the body's first 4 KiB; `bytes` is the length of the whole body. */
  constructor(start: Uint8Array, bytes: number) {
    this.bytes = bytes
    this.cutJson = cutBody(start, bytes)
  }
}

export const noPayload: Payload = { kind: 'none' }

/**
 * Makes a payload of JSON from the gateway or from a processor's reply, checked and without white space outside
 * strings.
 */
export function jsonPayload(bytes: Buffer): Payload {
  return { kind: 'json', bytes, shown: bytes }
}

/** Makes a payload of the beginning of an answer's body that is larger than a record takes. */
export function oversizedPayload(start: Buffer, bytes: number): Payload {
  return { kind: 'binary', bytes: start, shown: new OversizedText(start, bytes) }
}

/** The tools that make payloads; `maxBytes` is the largest shown value in bytes. */
export type PayloadContext = {
  readonly json: JsonEngine
  readonly maxBytes: number
  readonly slice: Slice
  readonly memory: CallMemory
}

/**
 * Makes the payload of scanned bytes and counts its shown form; returns undefined where there is no room for that form.
 * The form is counted before it exists, since the payloads of many bodies are made side by side.
 */
export function createCountedPayload(
  bytes: Buffer,
  scanned: Pick<ScanResult, 'kind' | 'spaces'>,
  context: PayloadContext,
): Payload | undefined | Promise<Payload> {
  const { memory } = context
  const most = mostShownBytes(bytes, scanned, context)
  if (most === 0) return createPayload(bytes, scanned, context)
  if (!memory.take(most)) return undefined
  const counted = (payload: Payload): Payload => {
    memory.add(shownBytes(payload) - most)
    return payload
  }
  return mapResult(createPayload(bytes, scanned, context), counted)
}

/**
 * Makes the payload of scanned bytes; returns no promise up to 48 KiB. A value whose shown form exceeds `maxBytes` is
 * oversized and isn't converted.
 */
function createPayload(
  bytes: Buffer,
  { kind, spaces }: Pick<ScanResult, 'kind' | 'spaces'>,
  context: PayloadContext,
): Payload | Promise<Payload> {
  if (bytes.length === 0) return noPayload
  const shown = shownText(bytes, { kind, spaces }, context)
  return shown instanceof Promise ? shown.then((text) => ({ kind, bytes, shown: text })) : { kind, bytes, shown }
}

function shownText(
  bytes: Buffer,
  { kind, spaces }: Pick<ScanResult, 'kind' | 'spaces'>,
  context: PayloadContext,
): JsonText | Promise<JsonText> {
  const { json, maxBytes, slice } = context
  const orOversized = (text: Buffer | undefined): JsonText => text ?? new OversizedText(bytes, bytes.length)
  switch (kind) {
    case 'json':
      if (bytes.length - spaces > maxBytes) return new OversizedText(bytes, bytes.length)
      return spaces === 0 ? bytes : json.compact(bytes, spaces, slice)
    case 'text':
      return mapResult(json.string(bytes, maxBytes, slice), orOversized)
    case 'binary':
      return mapResult(base64Json(bytes, maxBytes, slice), orOversized)
    default:
      return kind satisfies never
  }
}

function mapResult<From, To>(value: From | Promise<From>, map: (from: From) => To): To | Promise<To> {
  return value instanceof Promise ? value.then(map) : map(value)
}

/** Returns a payload's text in a record or in a message to a processor. */
export function payloadJson(payload: Payload): JsonText {
  return payload.kind === 'none' ? 'null' : payload.shown
}

export function payloadBytes(payload: Payload): Buffer | undefined {
  return payload.kind === 'none' ? undefined : payload.bytes
}

/** Limits shown values to the bus's largest message, which bounds records and messages to processors. */
export function payloadContext({ bus, json, work }: PayloadContextParts, memory: CallMemory): PayloadContext {
  const maxBytes = Math.min(bus.maxPayload ?? MAX_RECORD_BYTES, MAX_RECORD_BYTES)
  return { json, maxBytes, slice: work.begin(memory.router.path), memory }
}

type PayloadContextParts = {
  readonly bus: { readonly maxPayload: number | undefined }
  readonly json: JsonEngine
  readonly work: WorkQueue
}

/** The bytes of an escaped character in a JSON string, as of NUL. */
const ESCAPED_BYTES = 6

/** Returns the most bytes that the shown form of scanned bytes can take as a copy. */
function mostShownBytes(
  { length }: Buffer,
  { kind, spaces }: Pick<ScanResult, 'kind' | 'spaces'>,
  { maxBytes }: Pick<PayloadContext, 'maxBytes'>,
): number {
  if (kind === 'json') return spaces === 0 ? 0 : Math.min(length - spaces, maxBytes)
  return Math.min(kind === 'text' ? ESCAPED_BYTES * length : 2 * length, maxBytes)
}

/** Returns the bytes of a payload's shown form where that form is a copy. */
function shownBytes(payload: Payload): number {
  if (payload.kind === 'none' || payload.shown === payload.bytes) return 0
  return payload.shown instanceof Uint8Array ? payload.shown.length : 0
}
