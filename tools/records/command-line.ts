import { parseArgs } from 'node:util'
import type { RecordQuery } from '@llm-gateway/sdk'

export type RecordsCommand = {
  readonly query: RecordQuery
  readonly follow: boolean
  /** The path of the field to show; empty: the whole record. */
  readonly field: string
  /** Files to read; empty: the bus. */
  readonly files: readonly string[]
  /** The longest wait for a bus that is away, in milliseconds; undefined: for ever. */
  readonly waitMs: number | undefined
}

export const USAGE =
  'usage: [FIELD] [--since 30m] [--router /x/] [--session ID] [--status 5xx,429] [--follow] [--wait 15s] [--file FILE]…'

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const WAIT_MS = 15_000
/** A timer of more milliseconds would end at once. */
const MOST_WAIT_MS = 2 ** 31 - 1
/** A day, with or without a time; `Date.parse` alone would make a date of nearly any text. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/
const STATUS = /^[1-5](?:\d\d|xx)$/

/**
 * Parses the arguments of `make records`; undefined when they are malformed. Without `--since` new records are
 * followed.
 */
export function parseRecordsCommand(words: readonly string[], nowMs: number): RecordsCommand | undefined {
  const parsed = parseArguments(words)
  if (parsed === undefined || parsed.positionals.length > 1) return undefined
  const { since, router, session, status = '', follow = false, wait, file: files = [] } = parsed.values
  const sinceMs = since === undefined ? undefined : timeOf(since, nowMs)
  const statuses = status.split(',').filter((text) => text !== '')
  const chosenMs = wait === undefined ? undefined : millisecondsOf(wait)
  if (wait !== undefined && chosenMs === undefined) return undefined
  const isUnknown = (since !== undefined && sinceMs === undefined) || !statuses.every((text) => STATUS.test(text))
  if (isUnknown) return undefined
  const query = { sinceMs, router, session, statuses }
  const isAnswered =
    !follow && (sinceMs !== undefined || router !== undefined || session !== undefined || status !== '')
  const defaultMs = isAnswered ? WAIT_MS : undefined
  const waitMs = chosenMs === undefined ? defaultMs : Math.min(chosenMs, MOST_WAIT_MS)
  return { query, follow, field: parsed.positionals[0] ?? '', files, waitMs }
}

/** Parses an age, or a time such as 2026-11-22T09:00Z. */
function timeOf(text: string, nowMs: number): number | undefined {
  const agoMs = millisecondsOf(text)
  if (agoMs !== undefined) return nowMs - agoMs
  const time = Date.parse(text)
  return TIME.test(text) && !Number.isNaN(time) ? time : undefined
}

function millisecondsOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0)
}

function parseArguments(words: readonly string[]) {
  const text = { type: 'string' } as const
  const options = {
    since: text,
    router: text,
    session: text,
    status: text,
    follow: { type: 'boolean' },
    wait: text,
    file: { type: 'string', multiple: true },
  } as const
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
