import type { Attempt, SinkRecord } from './writer.ts'

/** Writes two halves, one after the other: of a batch that was refused, only some records may be meant. */
export async function inHalves(
  records: readonly SinkRecord[],
  write: (records: readonly SinkRecord[]) => Promise<Attempt>,
): Promise<Attempt> {
  const middle = Math.ceil(records.length / 2)
  const first = await write(records.slice(0, middle))
  const second = await write(records.slice(middle))
  const retryAfterMs = Math.max(first.retryAfterMs ?? 0, second.retryAfterMs ?? 0)
  return { failed: [...first.failed, ...second.failed], ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
}
