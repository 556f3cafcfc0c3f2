import { recordRow } from '@llm-gateway/protocol'
import { mapInTurns } from '../map-in-turns.ts'
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
      for (const [hour, some] of await byHour(records, options.now())) {
        for (const object of objects.objectsOf(some)) attempts.push(await objects.put(hour, object))
      }
      const retryAfterMs = Math.max(...attempts.map((attempt) => attempt.retryAfterMs ?? 0))
      return { failed: attempts.flatMap(({ failed }) => failed), ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
    },
    close: () => objects.close(),
  }
}

async function byHour(
  records: readonly SinkRecord[],
  nowMs: number,
): Promise<ReadonlyMap<string, readonly SinkRecord[]>> {
  const hours = await mapInTurns(records, ({ bytes, storedMs = nowMs }) =>
    hourOf(recordRow(bytes).time ?? '', storedMs),
  )
  return Map.groupBy(records, (_, index) => hours[index] ?? '')
}

/**
 * Returns the hour of a time, else the one in which the record was stored, which is the same in each try. A year of more
 * than four digits begins with `+`, which is another text in the signature: S3 would refuse the object for ever, and all
 * later records would wait.
 */
function hourOf(time: string, storedMs: number): string {
  const timeMs = Date.parse(time)
  const text = Number.isNaN(timeMs) ? '' : new Date(timeMs).toISOString()
  const known = /^\d{4}-/.test(text) ? text : new Date(storedMs).toISOString()
  return known.slice(0, 13).replaceAll(/[-T]/g, '/')
}
