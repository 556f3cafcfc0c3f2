import type { Transaction, TransactionFilter } from '@llm-gateway/gui-api'
import { type Member, recordMembers, recordRow } from '@llm-gateway/protocol'
import { ownText } from '../own-text.ts'

/** Larger records are searched with their case: a lower-case copy of each would be as large. */
const MOST_FOLDED_BYTES = 1024 * 1024
const MOST_PROCESSORS = 50
/** Characters of a text that a row shows; callers choose some texts, such as the model, in up to 64 KiB. */
const MOST_TEXT = 200
/** Characters of a text by which rows are filtered: the longest path of a router. A filter is shorter. */
const MOST_NAME = 1_024

/** Reads a record's row for a list, in time proportional to the record's length. Never throws. */
export function transactionRow(id: string, bytes: Uint8Array): Transaction {
  const members = recordMembers(bytes)
  const row = recordRow(bytes, members)
  return {
    id,
    time: beginningOf(row.time, MOST_TEXT),
    session_id: beginningOf(row.sessionId, MOST_NAME),
    transaction_id: beginningOf(row.transactionId, MOST_NAME),
    router: beginningOf(row.router, MOST_NAME),
    original_router: beginningOf(row.originalRouter, MOST_NAME),
    method: beginningOf(row.method, MOST_TEXT),
    status: row.status ?? null,
    error_type: beginningOf(row.errorType, MOST_NAME),
    duration_ms: row.durationMs ?? null,
    first_byte_ms: row.firstByteMs ?? null,
    model: beginningOf(row.model, MOST_TEXT),
    stream: row.stream,
    input_tokens: row.usage.prompt ?? null,
    output_tokens: row.usage.completion ?? null,
    processors: processorsOf(bytes, members),
    bytes: bytes.length,
  }
}

function beginningOf(text: string | undefined, most: number): string | null {
  return text === undefined ? null : beginning(text, most)
}

function beginning(text: string, most: number): string {
  return text.length > most ? ownText(text.slice(0, most)) : text
}

/** Returns whether a record contains a text. */
export type SearchedText = (text: string) => boolean

/** Returns a search of a record, whose bytes are made a text once at most, however many texts are searched. */
export function searchedText(bytes: Uint8Array): SearchedText {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length > MOST_FOLDED_BYTES) return (text) => view.includes(text)
  let folded: string | undefined
  return (text) => {
    folded ??= view.toString().toLowerCase()
    return folded.includes(text.toLowerCase())
  }
}

export function isWantedRow(filter: TransactionFilter, row: Transaction, holdsText: SearchedText): boolean {
  const { router, session, status, error_type: errorType, processor, text } = filter
  if (router !== undefined && row.router !== router && row.original_router !== router) return false
  if (session !== undefined && row.session_id !== session && row.transaction_id !== session) return false
  if (status !== undefined && !status.split(',').some((wanted) => isStatus(wanted, row.status))) return false
  if (errorType !== undefined && row.error_type !== errorType) return false
  if (processor !== undefined && !row.processors.includes(processor)) return false
  return text === undefined || holdsText(text)
}

function isStatus(wanted: string, status: number | null): boolean {
  if (status === null) return false
  return wanted.endsWith('xx') ? String(status).startsWith(wanted.slice(0, 1)) : String(status) === wanted
}

function processorsOf(bytes: Uint8Array, record: readonly Member[]): string[] {
  const names = new Set<string>()
  const sides = record.filter(({ name }) => name === 'request' || name === 'response')
  for (const { name, start, end } of sides.flatMap(({ members = [] }) => members))
    if (name === 'processors' || name === 'processors_async') addNames(bytes.subarray(start, end), names)
  return [...names].slice(0, MOST_PROCESSORS)
}

function addNames(list: Uint8Array, names: Set<string>): void {
  if (list.length > MOST_FOLDED_BYTES) return
  try {
    const entries: unknown = JSON.parse(Buffer.from(list).toString())
    for (const entry of Array.isArray(entries) ? entries : [])
      names.add(beginning(String(Object(entry).name), MOST_TEXT))
  } catch {
    // A record that is not JSON has no processors to show.
  }
}
