import type { Attempt, SinkRecord } from './writer.ts'

/** Writes two halves of a refused batch, one after the other, since only some of its records may be at fault. */
export async function splitBatch(
  records: readonly SinkRecord[],
  write: (records: readonly SinkRecord[]) => Promise<Attempt>,
): Promise<Attempt> {
  const [one, other] = halves(records)
  const first = await write(one)
  const second = await write(other)
  const retryAfterMs = Math.max(first.retryAfterMs ?? 0, second.retryAfterMs ?? 0)
  return { failed: [...first.failed, ...second.failed], ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
}

export function halves<T>(items: readonly T[]): readonly [readonly T[], readonly T[]] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}
