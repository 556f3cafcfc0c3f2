import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { endpoints, type History, type LiveEvent, type Transaction, type TransactionFilter } from '@llm-gateway/gui-api'
import { isBounded } from '@llm-gateway/protocol'
import { answered, type EventWriter, failed, type Route, route } from '../answer.ts'
import { Places } from '../places.ts'
import { LivePages } from './live-pages.ts'
import { pauses } from './pauses.ts'
import type { NamedRecord } from './record-file.ts'
import type { RecordSource } from './record-source.ts'
import { isWantedRow, searchedText, transactionRow } from './transaction-row.ts'

const MOST_LIVE = 50
const MOST_SEARCHES = 4
/** Records that are read at once: each may have 64 MiB. The page asks for all calls of a session together. */
const MOST_RECORDS = 4
const MOST_WAITING_RECORDS = 200
const MOST_SHOWN = 200
const BEAT_MS = 250
const MOST_SEARCH_MS = 2_000
const MOST_RECORD_BYTES = 4 * 1024 * 1024
const MOST_VALUES = 100_000
const BEGINNING_BYTES = 64 * 1024

type Source = Pick<RecordSource, 'connected' | 'file' | 'kept' | 'listen' | 'recent' | 'record' | 'window'>

/** Returns the routes of transactions: the live list, the history and single records. */
export function transactionRoutes(source: Source): readonly Route[] {
  let live = 0
  let searches = 0
  const pages = new LivePages(source)
  const records = new Places({ places: MOST_RECORDS, waiting: MOST_WAITING_RECORDS })
  return [
    route(endpoints.live, async ({ query }) => {
      if (live >= MOST_LIVE) return failed('TOO_MANY', 'Too many pages watch transactions now.')
      // Counted before `run`: all requests that one connection sends together pass the check before any of them runs.
      live += 1
      return {
        kind: 'events',
        run: (writer, signal) =>
          showLive({ source, pages }, query, { writer, signal }).finally(() => {
            live -= 1
          }),
      }
    }),
    route(endpoints.history, async ({ query }) => {
      if (searches >= MOST_SEARCHES) return failed('TOO_MANY', 'Too many searches run now. Try again in a moment.')
      searches += 1
      return answered(
        await search(source, query).finally(() => {
          searches -= 1
        }),
      )
    }),
    route(endpoints.record, async ({ parameters: { id }, caller, left }) => {
      const answer = await records.run({ caller: caller.ended, left }, () => readRecord(source, id))
      return answer ?? failed('TOO_MANY', 'Too many records are being opened now. Try again in a moment.')
    }),
  ]
}

async function readRecord(source: Pick<Source, 'record'>, id: string) {
  const bytes = await source.record(id)
  if (bytes === undefined) return failed('NOT_FOUND', 'This record is no longer stored.')
  // The receipt of a large record, its row and its text each take long, so each has its own turn of the event loop.
  await nextTurn()
  const transaction = transactionRow(id, bytes)
  await nextTurn()
  const record = wholeRecord(bytes)
  const beginning = record === undefined ? Buffer.from(bytes.subarray(0, BEGINNING_BYTES)).toString() : null
  return answered({ id, transaction, record: record ?? null, beginning })
}

type LiveOutput = { readonly writer: EventWriter<LiveEvent>; readonly signal: AbortSignal }

/** Sends new transactions four times a second. A slow page misses some and gets their number. */
async function showLive(
  { source, pages }: { readonly source: Source; readonly pages: LivePages },
  filter: TransactionFilter,
  { writer, signal }: LiveOutput,
): Promise<void> {
  let waiting: Transaction[] = []
  let skipped = 0
  const skip = (): void => {
    skipped += 1
  }
  const show = (row: Transaction): void => {
    waiting.push(row)
    if (waiting.length <= MOST_SHOWN) return
    waiting.shift()
    skip()
  }
  const stop = pages.add({ filter, show, skip })
  let connected: boolean | undefined
  try {
    while (!signal.aborted) {
      if (connected !== source.connected) {
        connected = source.connected
        writer.send({ event: 'bus', connected })
      }
      if (waiting.length > 0 || skipped > 0) {
        const event = { event: 'transactions', transactions: waiting, skipped } as const
        waiting = []
        skipped = 0
        if (!writer.send(event)) await writer.drained()
      }
      await delay(BEAT_MS, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    stop()
  }
}

type Question = (typeof endpoints)['history']['query']['_zod']['output']

/** The records of a source in order of age. A window is a page of records that are older than a place. */
type RecordRange = {
  readonly source: History['source']
  /** The place behind the newest record. */
  readonly end: number
  readonly first: number
  /** Returns records newest first; older records lie before `from`. */
  window(before: number): Promise<{ readonly records: readonly NamedRecord[]; readonly from: number }>
  /** Returns the place of a record. */
  place(record: NamedRecord): number
}

async function search(source: Source, question: Question): Promise<History> {
  const kept = await source.kept()
  if (kept !== undefined) {
    const { first, last } = kept
    const window = (before: number) => source.window(before, first)
    return await searchRange({ source: 'stream', end: last + 1, first, window, place: numberOf }, question)
  }
  const file = await source.file()
  if (file !== undefined) {
    const range: RecordRange = {
      source: 'file',
      end: file.end,
      first: 0,
      window: (before) => file.window(before),
      place: numberOf,
    }
    return await searchRange(range, question).finally(() => file.close())
  }
  const { recent } = source
  const wanted: Transaction[] = []
  const pause = pauses()
  for (const record of recent) {
    const row = transactionRow(record.id, record.bytes)
    if (isWanted(question, row, record.bytes)) wanted.push(row)
    await pause()
  }
  return { transactions: wanted.slice(0, question.limit), next: null, scanned: recent.length, source: 'recent' }
}

/** Returns the last number in a record's id: a sequence or an offset. */
function numberOf({ id }: NamedRecord): number {
  return Number(/\d+$/.exec(id)?.[0])
}

function isWanted({ since, before: _, limit: __, ...filter }: Question, row: Transaction, bytes: Uint8Array): boolean {
  const isSince = since === undefined || row.time === null || Date.parse(row.time) >= Date.parse(since)
  return isSince && isWantedRow(filter, row, searchedText(bytes))
}

async function searchRange(range: RecordRange, question: Question): Promise<History> {
  const { since, before, limit } = question
  const found: Transaction[] = []
  const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
  const until = Date.now() + MOST_SEARCH_MS
  let at = Math.min(before === undefined ? range.end : Number(before), range.end)
  let scanned = 0
  let isOver = false
  const pause = pauses()
  while (!isOver && at > range.first && found.length < limit && Date.now() < until) {
    const { records, from } = await range.window(at)
    let time: string | null = null
    for (const record of records) {
      scanned += 1
      const row = transactionRow(record.id, record.bytes)
      time = row.time
      if (isWanted(question, row, record.bytes)) found.push(row)
      await pause()
      at = range.place(record)
      if (found.length >= limit || Date.now() >= until) break
    }
    const oldest = records.at(-1)
    const isWhole = oldest === undefined || at === range.place(oldest)
    if (!isWhole) break
    at = from
    // An hour more, because calls are recorded when they end.
    isOver = time !== null && Date.parse(time) < sinceMs - LONGEST_CALL_MS
  }
  const next = isOver || at <= range.first ? null : String(at)
  return { transactions: found, next, scanned, source: range.source }
}

const LONGEST_CALL_MS = 60 * 60_000

/** Parses a record; undefined if it is too large, too deep or of too many values to be shown. */
function wholeRecord(bytes: Uint8Array): unknown {
  if (bytes.length > MOST_RECORD_BYTES || !isBounded(bytes, { values: MOST_VALUES })) return undefined
  try {
    const record: unknown = JSON.parse(Buffer.from(bytes).toString())
    // A deeply nested value can be parsed but not serialized.
    JSON.stringify(record)
    return record
  } catch {
    return undefined // The page shows the beginning of its text.
  }
}
