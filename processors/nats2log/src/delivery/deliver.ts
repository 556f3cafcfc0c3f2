import { halves } from '../targets/split-batch.ts'
import type { SinkRecord, Writer } from '../targets/writer.ts'
import { deliverSuspects } from './deliver-suspects.ts'
import { type DeliverOptions, setAside, type Tried, tryRecords } from './try-records.ts'

/** The time for halving failed batches, since the sink takes no other batch meanwhile. */
const HALVING_MS = 60_000
/** The records that are postponed after a failed probe. With one at a time, a long wait would follow each. */
const MOST_UNPROBED = 16

/** Records that are tried together. */
type Group = {
  readonly records: readonly SinkRecord[]
  /** The failed tries of these records. */
  readonly failures: number
  /** The number of delivered records before the first of these tries. */
  readonly since: number
}

/**
 * Writes records in batches and retries until each is settled or postponed, or the signal aborts. Records left at that
 * point are not reported. After two failures of a batch the records at fault are searched for, while other batches come
 * first (docs/reference/kept-records.md#records-that-fail-alone).
 */
export async function deliver(records: readonly SinkRecord[], options: DeliverOptions): Promise<void> {
  const { writer, signal, suspects, now } = options
  const before = suspects.delivered
  const endMs = now() + HALVING_MS
  const known = records.filter((record) => suspects.has(record))
  const others = records.filter((record) => !suspects.has(record))
  const groups = groupsOf(batchesOf(others, writer.batch), { failures: 0, since: before })
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined && !signal.aborted; group = groups.shift()) {
      if (writer.inOrder === true) groups.unshift(...(await deliverInOrder(group, options)))
      else if (isQuiet(group, options)) groups.push(...(await probe(group, options)))
      else groups.push(...(await deliverGroup(group, endMs, options)))
    }
  }
  const workers = Math.min(writer.concurrency, groups.length)
  await Promise.all(Array.from({ length: workers }, work))
  await deliverSuspects(known, before, options)
}

/** Tries a group once and waits after a failure; returns the records to try again. */
async function deliverInOrder(group: Group, options: DeliverOptions): Promise<readonly Group[]> {
  const { signal, backOff, wait, suspects } = options
  const { failures } = group
  const since = failures === 0 ? suspects.delivered : group.since
  const tried = await tryRecords(group.records, options)
  if (tried.left.length === 0) return []
  const { alone, startedMs, askedMs } = tried
  for (const { record, code } of alone) await setAside({ ...tried, left: [record], code }, since, options)
  const others = new Set(tried.left)
  for (const { record } of alone) others.delete(record)
  if (others.size === 0) await pause(tried, suspects.delivered === since, options)
  else await wait(backOff.failed(startedMs, askedMs), signal)
  return groupsOf([[...others]], { failures: failures + 1, since })
}

/** Tries a group once and waits after a failure; returns the records to try again, in the groups to try. */
async function deliverGroup(group: Group, endMs: number, options: DeliverOptions): Promise<readonly Group[]> {
  const { suspects, now } = options
  const { records, failures } = group
  const since = failures === 0 ? suspects.delivered : group.since
  const tried = await tryRecords(records, options)
  const { left } = tried
  if (left.length === 0) return []
  const isAway = suspects.delivered === since
  const isAlone = records.length === 1
  const keepsTogether = !isAlone && (failures === 0 || isAway)
  const isSetAside = isAlone || (tried.isApart && !keepsTogether)
  const isLate = !isSetAside && !keepsTogether && now() >= endMs
  if (isSetAside) await setAside(tried, since, options)
  if (isLate) postponeUntried(left, options)
  await pause(tried, isAway, options)
  if (isSetAside || isLate) return []
  return groupsOf(keepsTogether ? [left] : halves(left), { failures: failures + 1, since })
}

/** Returns whether a group has failed twice, and nothing was delivered since its first failure. */
function isQuiet({ failures, since, records }: Group, { suspects }: DeliverOptions): boolean {
  return failures > 1 && records.length > 1 && suspects.delivered === since
}

/**
 * Tries one record of a group that has failed twice while nothing was delivered, and returns the groups to try next. If
 * the record is delivered, the target isn't away, and the others are halved without long waits.
 */
async function probe(group: Group, options: DeliverOptions): Promise<readonly Group[]> {
  const [one, others] = [group.records.slice(0, 1), group.records.slice(1)]
  const tried = await tryRecords(one, options)
  const isAway = options.suspects.delivered === group.since
  if (tried.left.length === 0) return groupsOf(isAway ? [others] : halves(others), group)
  await setAside(tried, group.since, options)
  postponeUntried(others.slice(0, MOST_UNPROBED - 1), options)
  await pause(tried, isAway, options)
  return groupsOf([others.slice(MOST_UNPROBED - 1)], group)
}

/**
 * Waits after a failure. While the target takes other records the waits don't grow, but there is one: the target may
 * limit the rate.
 */
async function pause({ startedMs, askedMs }: Tried, isAway: boolean, options: DeliverOptions): Promise<void> {
  const { signal, backOff, wait } = options
  await wait(isAway ? backOff.failed(startedMs, askedMs) : backOff.pauseAfter(1, askedMs), signal)
}

/** Postpones records that failed only beside others, and are then tried alone. */
function postponeUntried(records: readonly SinkRecord[], { suspects, postpone }: DeliverOptions): void {
  for (const record of records) postpone(record, suspects.suspected(record))
}

function groupsOf(parts: readonly (readonly SinkRecord[])[], { failures, since }: Omit<Group, 'records'>): Group[] {
  return parts.filter((records) => records.length > 0).map((records) => ({ records, failures, since }))
}

function batchesOf(records: readonly SinkRecord[], limit: Writer['batch']): SinkRecord[][] {
  const batches: SinkRecord[][] = []
  let bytes = 0
  for (const record of records) {
    const last = batches.at(-1)
    if (last === undefined || last.length === limit.records || bytes + record.bytes.length > limit.bytes) {
      batches.push([record])
      bytes = record.bytes.length
    } else {
      last.push(record)
      bytes += record.bytes.length
    }
  }
  return batches
}
