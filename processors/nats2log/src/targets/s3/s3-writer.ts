import { recordRow } from '@llm-gateway/protocol'
import { type Attempt, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { S3Objects, type S3Target } from './s3-objects.ts'

const BATCH = { records: 5_000, bytes: 32 * 1024 * 1024 }

/** Puts a batch into one object for each hour of its calls. */
export function createS3Writer(options: S3Target): Writer {
  const objects = new S3Objects(options)
  return {
    batch: BATCH,
    concurrency: 1,
    // Other parts of a batch have other names, and would repeat an object that is stored although its answer was lost.
    inOrder: true,
    open: async () => undefined,
    write: async (records) => {
      if (records.length === 0) return DELIVERED
      const attempts: Attempt[] = []
      for (const [hour, some] of byHour(records, options.now())) {
        for (const object of objects.objectsOf(some)) attempts.push(await objects.put(hour, object))
      }
      const retryAfterMs = Math.max(...attempts.map((attempt) => attempt.retryAfterMs ?? 0))
      return { failed: attempts.flatMap(({ failed }) => failed), ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
    },
    close: () => objects.close(),
  }
}

function byHour(records: readonly SinkRecord[], nowMs: number): ReadonlyMap<string, readonly SinkRecord[]> {
  const hours = new Map<string, SinkRecord[]>()
  for (const record of records) {
    const time = Date.parse(recordRow(record.bytes).time ?? '')
    const hour = new Date(Number.isNaN(time) ? nowMs : time).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/')
    const some = hours.get(hour)
    if (some === undefined) hours.set(hour, [record])
    else some.push(record)
  }
  return hours
}
