import { jsonMembers, type Member } from '@llm-gateway/protocol'
import { mapInTurns } from './map-in-turns.ts'
import type { Attempt, SinkRecord, Writer } from './writer.ts'

/** First-level names; include, when not empty, is applied before exclude (as `logger` of gl_config.json). */
export type FieldFilter = { readonly fields_include: readonly string[]; readonly fields_exclude: readonly string[] }

export type FilterSettings = {
  readonly payloads: 'on' | 'off'
  readonly filter: { readonly request: FieldFilter; readonly response: FieldFilter }
}

const PAYLOADS: Readonly<Record<string, readonly string[]>> = {
  request: ['ingress_payload', 'outbound_payload'],
  response: ['inbound_payload', 'egress_payload'],
}
const OPENING_BRACE = Buffer.from('{')
const CLOSING_BRACE = Buffer.from('}')
const COMMA = Buffer.from(',')

/** Wraps a writer so that it gets filtered records; its failures name the original records. */
export function filteredWriter(writer: Writer, settings: FilterSettings): Writer {
  const filter = createRecordFilter(settings)
  if (filter === undefined) return writer
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const filtered = await mapInTurns(records, (record) => ({ ...record, bytes: filter(record.bytes), whole: record }))
    const { failed, ...rest } = await writer.write(filtered)
    return {
      ...rest,
      failed: failed.map((failure) => ({ ...failure, record: failure.record.whole ?? failure.record })),
    }
  }
  return { ...writer, write }
}

/**
 * Makes a function that removes fields from a record's request and response; undefined when the settings keep
 * everything. Values are skipped and never parsed, so any depth is allowed. Bytes that are not a JSON object stay
 * unchanged.
 */
export function createRecordFilter(settings: FilterSettings): ((bytes: Uint8Array) => Uint8Array) | undefined {
  const sides = new Map(Object.entries(settings.filter).map(([side, filter]) => [side, wanted(side, filter, settings)]))
  if ([...sides.values()].every((isWanted) => isWanted === undefined)) return undefined
  return (bytes) => {
    const members = jsonMembers(bytes, 0)
    if (members === undefined) return bytes
    const pieces: Uint8Array[] = []
    let from = 0
    for (const member of members) {
      const isWanted = sides.get(member.name)
      const fields = isWanted && jsonMembers(bytes, member.start)
      if (isWanted === undefined || fields === undefined) continue
      const kept = fields.filter(({ name }) => isWanted(name))
      if (kept.length === fields.length) continue
      pieces.push(bytes.subarray(from, member.start), ...objectOf(bytes, kept))
      from = member.end
    }
    return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)])
  }
}

function wanted(side: string, filter: FieldFilter, { payloads }: FilterSettings) {
  const include = new Set(filter.fields_include)
  const exclude = new Set([...filter.fields_exclude, ...(payloads === 'off' ? (PAYLOADS[side] ?? []) : [])])
  if (include.size === 0 && exclude.size === 0) return undefined
  return (name: string): boolean => (include.size === 0 || include.has(name)) && !exclude.has(name)
}

function objectOf(bytes: Uint8Array, members: readonly Member[]): readonly Uint8Array[] {
  const inside = members.flatMap(({ name, start, end }, index) => {
    const value = bytes.subarray(start, end)
    const key = Buffer.from(`${JSON.stringify(name)}:`)
    return index === 0 ? [key, value] : [COMMA, key, value]
  })
  return [OPENING_BRACE, ...inside, CLOSING_BRACE]
}
