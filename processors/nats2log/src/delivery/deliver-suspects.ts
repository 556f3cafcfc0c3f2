import type { SinkRecord } from '../targets/writer.ts'
import { type DeliverOptions, setAside, tryRecords } from './try-records.ts'

/** The wait after a try of a suspect, if nothing else was delivered. */
const QUIET_MS = 1_000
/** The time for the suspects of one batch, since the sink takes no other batch meanwhile. */
const ROUND_MS = 5_000

/**
 * Tries suspects one by one. Their failures say nothing about the target while others are delivered. Else the target
 * may be away: it gets one of them, and the sink waits. Postpones those that it doesn't try.
 */
export async function deliverSuspects(
  records: readonly SinkRecord[],
  before: number,
  options: DeliverOptions,
): Promise<void> {
  const { signal, suspects, backOff, now, wait } = options
  const endMs = now() + ROUND_MS
  let isOver = false
  let quietMs = 0
  for (const record of suspects.inTurn(await giveUpCrowd(records, endMs, options))) {
    if (signal.aborted) return
    const restMs = suspects.restMs(record)
    if (isOver || restMs > 0) {
      suspects.postponed(record)
      options.postpone(record, Math.max(suspects.turnMs, restMs, now() >= endMs ? ROUND_MS : 0))
      continue
    }
    const rests = suspects.rests(record)
    const tried = await tryRecords([record], options)
    await setAside(tried, before, options)
    const hasFailed = tried.left.length > 0
    const askedMs = hasFailed && tried.askedMs > 0 ? backOff.pauseAfter(1, tried.askedMs) : 0
    if (hasFailed && rests) suspects.restAfter(now() - tried.startedMs, askedMs)
    quietMs = suspects.delivered === before ? Math.max(QUIET_MS, askedMs) : 0
    isOver = quietMs > 0 || now() >= endMs
  }
  if (quietMs > 0) await wait(quietMs, signal)
}

/** Gives suspects up while there are too many, and returns the others. */
async function giveUpCrowd(
  records: readonly SinkRecord[],
  endMs: number,
  { suspects, refuse, signal, now }: DeliverOptions,
): Promise<readonly SinkRecord[]> {
  const left = new Set(records)
  for (const { record, code } of suspects.crowd(records)) {
    if (signal.aborted || now() >= endMs || !(await refuse(record, code))) break
    left.delete(record)
  }
  return [...left]
}
