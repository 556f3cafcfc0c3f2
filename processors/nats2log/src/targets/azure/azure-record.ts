import { jsonMembers, type Member } from '@llm-gateway/protocol'

/** A column takes 64 KB, and a record has four payloads. */
const FIELD_BYTES = 12_000
/** The gateway cuts payloads to the same length for the bus (docs/reference/record.md#cuts). */
const HEAD_BYTES = 4_096
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d]

/** A part of the record's text and its replacement. */
type Change = { readonly start: number; readonly end: number; readonly text: string }

/**
 * Shortens a record to the size of a column: each field of the request and of the response larger than 12 KB becomes
 * `{"cut":true,"bytes":n,"head":"first 4 KiB"}` and is named in `cut`. A record without large fields is returned
 * unchanged. Large fields aren't parsed, since a record may be nested too deep for a recursive parser.
 */
export function azureRecord(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= FIELD_BYTES) return bytes
  const record = jsonMembers(bytes, 0)
  if (record === undefined) return bytes
  const cut: string[] = []
  const changes = record.flatMap((member) => shortened(bytes, member, cut))
  if (cut.length === 0) return bytes
  const own = record.findLast(({ name }) => name === 'cut')
  const names = JSON.stringify([...new Set([...namesIn(small(bytes, own)), ...cut])])
  if (own === undefined) return spliced(bytes, changes, `,"cut":${names}`)
  const kept = changes.filter(({ start }) => start !== own.start)
  return spliced(bytes, [...kept, { start: own.start, end: own.end, text: names }], '')
}

/** Shortens a side of the record field by field, any other member as a whole. */
function shortened(bytes: Uint8Array, member: Member, cut: string[]): readonly Change[] {
  const { name, start, end } = member
  if (end - start <= FIELD_BYTES) return []
  const fields = bytes[start] === OPENING_BRACE ? jsonMembers(bytes, start) : undefined
  if (fields === undefined) return [cutField(bytes, member, name, cut)]
  return fields
    .filter((field) => field.end - field.start > FIELD_BYTES)
    .map((field) => cutField(bytes, field, `${name}.${field.name}`, cut))
}

function cutField(bytes: Uint8Array, { start, end }: Member, path: string, cut: string[]): Change {
  cut.push(path)
  // With `stream`, the decoder leaves out half a character at the end.
  const head = new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + HEAD_BYTES)), { stream: true })
  return { start, end, text: JSON.stringify({ cut: true, bytes: end - start, head }) }
}

/** Returns the record with its changes and with `added` after its last member. */
function spliced(bytes: Uint8Array, changes: readonly Change[], added: string): Uint8Array {
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { start, end, text } of changes.toSorted((one, other) => one.start - other.start)) {
    pieces.push(bytes.subarray(from, start), Buffer.from(text))
    from = end
  }
  const last = bytes.lastIndexOf(CLOSING_BRACE)
  return Buffer.concat([...pieces, bytes.subarray(from, last), Buffer.from(added), bytes.subarray(last)])
}

/** Returns the value of a member; undefined when it is large, malformed or missing. */
function small(bytes: Uint8Array, member: Member | undefined): unknown {
  if (member === undefined || member.end - member.start > FIELD_BYTES) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(member.start, member.end)))
  } catch {
    return undefined // The service judges malformed bytes.
  }
}

function namesIn(cut: unknown): readonly string[] {
  return Array.isArray(cut) ? cut.filter((name) => typeof name === 'string') : []
}
