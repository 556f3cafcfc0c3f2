import type { Attempt, SinkRecord } from './writer.ts'

/** Writes two halves of a refused batch, one after the other, since only some of its records may be at fault. */
export async function splitBatch(
  records: readonly SinkRecord[],
  write: (records: readonly SinkRecord[]) => Promise<Attempt>,
): Promise<Attempt> {
  const middle = Math.ceil(records.length / 2)
  const first = await write(records.slice(0, middle))
  const second = await write(records.slice(middle))
  const retryAfterMs = Math.max(first.retryAfterMs ?? 0, second.retryAfterMs ?? 0)
  return { failed: [...first.failed, ...second.failed], ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
}
