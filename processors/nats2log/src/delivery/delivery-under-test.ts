import assert from 'node:assert/strict'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../targets/writer.ts'
import { BackOff } from './back-off.ts'
import { deliver } from './deliver.ts'
import { OutcomeCounts } from './outcome-counts.ts'
import { type Patience, Suspects } from './suspects.ts'
import type { DeliverOptions } from './try-records.ts'

/** The result of a try by the record's text: a code, with `!` at the end when another try can't help. */
type Script = Readonly<Record<string, string>>

export const LARGE = { records: 1_000, bytes: 1_000_000 }

/** Makes a writer whose first tries end as scripted and whose later tries succeed. */
export function scripted(attempts: readonly Script[], batch: Writer['batch'] = { records: 100, bytes: 1_000 }) {
  const batches: (readonly string[])[] = []
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    batches.push(records.map(text))
    return attemptOf(records, attempts[batches.length - 1] ?? {})
  }
  const writer: Writer = { batch, concurrency: 1, open: async () => undefined, write, close: async () => undefined }
  return { writer, batches }
}

/** Makes a writer whose tries fail as a whole by a rule. */
export function failing(isFailure: (texts: readonly string[]) => boolean, batch?: Writer['batch']) {
  const { writer, batches } = scripted([], batch)
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    await writer.write(records)
    const fails = isFailure(records.map(text))
    return fails ? allFailed(records, { code: 'HTTP_503', again: true }) : DELIVERED
  }
  return { writer: { ...writer, write }, batches }
}

/** Makes a writer like `failing`, and a clock that goes on with its tries. */
export function slow(isFailure: (texts: readonly string[]) => boolean, { failedMs = 30_000, deliveredMs = 0 } = {}) {
  const clock = { nowMs: 0 }
  const { writer, batches } = failing(isFailure, LARGE)
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const attempt = await writer.write(records)
    clock.nowMs += attempt.failed.length > 0 ? failedMs : deliveredMs
    return attempt
  }
  return { writer: { ...writer, write }, batches, clock }
}

function attemptOf(records: readonly SinkRecord[], script: Script): Attempt {
  const failed = records.flatMap((tried) => {
    const code = script[text(tried)] ?? script['*']
    if (code === undefined) return []
    return allFailed([tried], { code: code.replace('!', ''), again: !code.endsWith('!') }).failed
  })
  return { failed }
}

type Settings = Pick<DeliverOptions, 'writer'> &
  Partial<DeliverOptions> & {
    readonly patience?: Patience
    readonly clock?: { nowMs: number }
    readonly unacknowledged?: () => number
  }

/** Waits take no time; `clock` goes on by them, and by as much as the writer adds to it. */
export function delivery(settings: Settings) {
  const { patience = { failures: 9, ms: 0 }, clock = { nowMs: 0 }, unacknowledged, ...options } = settings
  const { logger, lines } = journalLogger()
  const counts = new OutcomeCounts(logger)
  const delivered: string[] = []
  const refused: string[] = []
  const waits: number[] = []
  const now = () => clock.nowMs
  const backOff = new BackOff(now, () => 1)
  const postponed: string[] = []
  const bus = unacknowledged === undefined ? {} : { unacknowledged }
  const suspects = new Suspects({ backOff, now, patience, ...bus })
  const run = (records: readonly (string | SinkRecord)[]) =>
    deliver(
      records.map((one) => (typeof one === 'string' ? record(one) : one)),
      {
        counts,
        backOff,
        suspects,
        now,
        postpone: (one, delayMs) => postponed.push(`${text(one)} ${delayMs}`),
        delivered: (one) => {
          suspects.settled(one)
          delivered.push(text(one))
        },
        refuse: async (one, code) => {
          suspects.settled(one)
          return refused.push(`${text(one)} ${code}`) > 0
        },
        signal: new AbortController().signal,
        wait: async (milliseconds) => {
          clock.nowMs += milliseconds
          // Without an end of the tries the waits, which take no time, would let nothing else run.
          assert.ok(waits.length < 10_000)
          return waits.push(milliseconds) > 0
        },
        ...options,
      },
    )
  const totals = () => {
    counts.report()
    return lines.entries.findLast((line) => line.message === 'records written')?.fields
  }
  return { run, totals, delivered, refused, postponed, waits, clock, lines: lines.entries }
}

export function record(text: string): SinkRecord {
  return { bytes: new TextEncoder().encode(text) }
}

export function text({ bytes }: SinkRecord): string {
  return new TextDecoder().decode(bytes)
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n)
}
