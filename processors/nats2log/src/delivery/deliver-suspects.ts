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
  const { signal, suspects, backOff, postpone, now, wait } = options
  const endMs = now() + ROUND_MS
  let isOver = suspects.restMs > 0
  let quietMs = 0
  for (const record of suspects.inTurn(records)) {
    if (signal.aborted) return
    if (isOver) {
      postpone(record, Math.max(suspects.turnMs, suspects.restMs, now() >= endMs ? ROUND_MS : 0))
      continue
    }
    const tried = await tryRecords([record], options)
    await setAside(tried, before, options)
    const hasFailed = tried.left.length > 0
    const askedMs = hasFailed && tried.askedMs > 0 ? backOff.pauseAfter(1, tried.askedMs) : 0
    if (hasFailed) suspects.restAfter(now() - tried.startedMs, askedMs)
    quietMs = suspects.delivered === before ? Math.max(QUIET_MS, askedMs) : 0
    isOver = quietMs > 0 || suspects.restMs > 0 || now() >= endMs
  }
  if (quietMs > 0) await wait(quietMs, signal)
}
