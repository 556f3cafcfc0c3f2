import { decodeMessage } from './message.ts'

/** The records that a sink missed because the stream dropped them first (docs/reference/kept-records.md#sinks). */
export type Overtaken = {
  /** The number of records; gaps less than a day apart are summed. */
  readonly records: number
  /** The time at which the first of these gaps was found, RFC 3339. */
  readonly since: string
  /** The time at which the last gap was found, RFC 3339. */
  readonly last: string
}

/** The stored form, with the last gap's stream and last sequence, which identify a gap that is found twice. */
export type OvertakenNote = Overtaken & { readonly created: string; readonly to: number }

/** Records that a stream dropped before a sink read them. */
export type Gap = {
  readonly sink: string
  /** The stream's creation time. */
  readonly created: string
  readonly from: number
  readonly to: number
  readonly count: number
}

/** The bucket in which sinks keep their notes. */
export const SINKS_BUCKET = 'sinks'

/** A sink is reported for this long after its last gap. */
const RECENT_MS = 24 * 60 * 60 * 1_000
const MOST_SINKS = 16
/** 16 notes take 3 KB. */
const MOST_BYTES = 64 * 1024
const SINK = /^[a-z0-9]{1,32}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** Returns the key of a stream's notes in the bucket of the sinks. */
export function overtakenKey(stream: string): string {
  return `overtaken ${stream}`
}

/** Decodes the notes by sink and skips malformed notes. Never throws. */
export function readOvertaken(bytes: Uint8Array): ReadonlyMap<string, OvertakenNote> {
  const fields = bytes.length > MOST_BYTES ? undefined : decodeMessage(bytes)
  const notes = [...(fields ?? [])].flatMap(([sink, value]) => {
    const note = SINK.test(sink) ? noteOf(value) : undefined
    return note === undefined ? [] : [[sink, note] as const]
  })
  return new Map(notes.slice(0, MOST_SINKS))
}

/**
 * Returns the notes with one more gap, without those that are no longer recent. A gap that is already noted adds
 * nothing.
 */
export function withGap(notes: ReadonlyMap<string, OvertakenNote>, gap: Gap, nowMs: number) {
  const before = notes.get(gap.sink)
  const known = before?.created === gap.created ? before.to : 0
  const count = Math.min(gap.count, gap.to - Math.max(gap.from - 1, known))
  const others = [...notes].filter(([sink, note]) => sink !== gap.sink && isRecent(note, nowMs)).slice(1 - MOST_SINKS)
  if (count <= 0) return new Map(notes)
  const last = new Date(nowMs).toISOString()
  const { created, to } = gap
  const sum = before !== undefined && isRecent(before, nowMs) ? before : { records: 0, since: last }
  const note: OvertakenNote = { records: sum.records + count, since: sum.since, last, created, to }
  return new Map([...others, [gap.sink, note] as const])
}

/** Returns whether the last gap is less than a day away, in either direction, since two machines' clocks may differ. */
export function isRecent({ last }: Pick<Overtaken, 'last'>, nowMs: number): boolean {
  return Math.abs(nowMs - Date.parse(last)) < RECENT_MS
}

function noteOf(value: unknown): OvertakenNote | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(value))
  const [records, since, last, created, to] = ['records', 'since', 'last', 'created', 'to'].map((key) =>
    fields.get(key),
  )
  if (!isCount(records) || !isCount(to) || !isTime(since) || !isTime(last) || typeof created !== 'string')
    return undefined
  return { records, since, last, created, to }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
}
