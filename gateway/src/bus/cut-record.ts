import { isUtf8 } from 'node:buffer'
import { memberSpans, type Span } from './member-spans.ts'

/** The payloads of a record; of two of one size, the earlier is cut first (wire, 6). */
export const PAYLOAD_NAMES = ['outbound_payload', 'ingress_payload', 'egress_payload', 'inbound_payload'] as const
export type PayloadName = (typeof PAYLOAD_NAMES)[number]

const SIDES: readonly (readonly [string, readonly PayloadName[]])[] = [
  ['request', ['outbound_payload', 'ingress_payload']],
  ['response', ['egress_payload', 'inbound_payload']],
]
const HEAD_BYTES = 4096
const CUT_FRAME_BYTES = '{"cut":true,"bytes":9007199254740991,"head":""}'.length
const CUT_MEMBER_BYTES = `,"cut":${JSON.stringify(PAYLOAD_NAMES)}`.length

/**
 * Which payloads to cut so that the record fits, in the order they are cut.
 * `sizes`: bytes of each payload's JSON text; `otherBytes`: the record without these texts.
 * Counts a cut payload as large as it can get, so what it says fits, fits; where nothing helps, it says all that is worth cutting.
 */
export function chooseCuts(
  sizes: ReadonlyMap<PayloadName, number>,
  otherBytes: number,
  maxBytes: number,
): readonly PayloadName[] {
  const uncut = new Map(sizes)
  const cuts: PayloadName[] = []
  let total = otherBytes + [...sizes.values()].reduce((sum, size) => sum + size, 0)
  while (total + (cuts.length === 0 ? 0 : CUT_MEMBER_BYTES) > maxBytes) {
    const name = largest(uncut)
    if (name === undefined) break
    const size = uncut.get(name) ?? 0
    if (size <= mostCutBytes(size)) break
    total -= size - mostCutBytes(size)
    uncut.delete(name)
    cuts.push(name)
  }
  return cuts
}

/** What stands in a record for a payload that was cut, as JSON text: `{"cut":true,"bytes":n,"head":"first 4 KiB"}` (wire, 3). */
export function cutPayload(text: Uint8Array, bytes = text.length): string {
  const head = new TextDecoder().decode(text.subarray(0, headEnd(text)))
  return JSON.stringify({ cut: true, bytes, head })
}

/** A character has at most four bytes: up to three of it may be left where bytes were cut. */
const CUT_CHARACTER_BYTES = [0, 1, 2, 3] as const
/** What fits the head as base64 with its frame, in whole groups. */
const BINARY_HEAD_BYTES = Math.floor((HEAD_BYTES - '{"base64":""}'.length) / 4) * 3

/**
 * The same for the beginning of a body of `bytes` bytes that was never read whole. The head is its text; where that isn't
 * UTF-8, it is `{"base64":"…"}` of its first bytes, as text like every head: what the payload itself would be (wire, 3).
 */
export function cutBody(start: Uint8Array, bytes: number): string {
  const head = start.subarray(0, HEAD_BYTES)
  const left = CUT_CHARACTER_BYTES.find((count) => isUtf8(head.subarray(0, head.length - count)))
  if (left !== undefined) return cutPayload(head.subarray(0, head.length - left), bytes)
  const base64 = Buffer.from(head.subarray(0, BINARY_HEAD_BYTES)).toString('base64')
  return cutPayload(Buffer.from(JSON.stringify({ base64 })), bytes)
}

/**
 * The record with its largest payloads cut until it fits; undefined when it can't.
 * For a record already serialized (the bus's limit shrank after it was): works on the text, so depth, numbers and order stay as they are.
 */
export function cutRecord(record: Uint8Array, maxBytes: number): Uint8Array | undefined {
  if (record.length <= maxBytes) return record
  const root = memberSpans(record, 0)
  if (root === undefined) return undefined
  const cut = cutBefore(record, root.get('cut'))
  const texts = new Map<PayloadName, Span>()
  for (const [side, names] of SIDES) {
    const object = root.get(side)
    const members = object === undefined ? undefined : memberSpans(record, object.start)
    for (const name of names) {
      const span = members?.get(name)
      if (span !== undefined && !cut.includes(name)) texts.set(name, span)
    }
  }
  const edits: Edit[] = []
  while (texts.size > 0) {
    const name = largest(new Map([...texts].map(([key, span]) => [key, span.end - span.start])))
    const span = name === undefined ? undefined : texts.get(name)
    if (name === undefined || span === undefined) break
    texts.delete(name)
    cut.push(name)
    edits.push({ ...span, text: cutPayload(record.subarray(span.start, span.end)) })
    const next = applyEdits(record, [...edits, cutEdit(record, root.get('cut'), cut)])
    if (next.length <= maxBytes) return next
  }
  return undefined
}

type Edit = Span & { readonly text: string }

function largest(sizes: ReadonlyMap<PayloadName, number>): PayloadName | undefined {
  let found: PayloadName | undefined
  for (const name of PAYLOAD_NAMES) {
    const size = sizes.get(name)
    if (size !== undefined && (found === undefined || size > (sizes.get(found) ?? 0))) found = name
  }
  return found
}

/** Quotes, backslashes and white space between tokens are all that JSON text escapes once more: twice the head at most. */
function mostCutBytes(size: number): number {
  return CUT_FRAME_BYTES + 2 * Math.min(size, HEAD_BYTES)
}

function headEnd(text: Uint8Array): number {
  if (text.length <= HEAD_BYTES) return text.length
  let end = HEAD_BYTES
  while (end > 0 && ((text[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return end
}

function cutBefore(record: Uint8Array, span: Span | undefined): string[] {
  if (span === undefined) return []
  const text = new TextDecoder().decode(record.subarray(span.start, span.end))
  return [...text.matchAll(/"([a-z_]+)"/g)].map(([, name = '']) => name)
}

function cutEdit(record: Uint8Array, span: Span | undefined, names: readonly string[]): Edit {
  if (span !== undefined) return { ...span, text: JSON.stringify(names) }
  const brace = record.lastIndexOf(0x7d)
  return { start: brace, end: brace, text: `,"cut":${JSON.stringify(names)}` }
}

function applyEdits(record: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const parts: Uint8Array[] = []
  let from = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(record.subarray(from, edit.start), Buffer.from(edit.text))
    from = edit.end
  }
  return Buffer.concat([...parts, record.subarray(from)])
}
