import { createRecordFilter, type FilterSettings } from './record-filter.ts'
import type { Attempt, SinkRecord, Writer } from './writer.ts'

/** Wraps a writer so that it gets filtered records; its failures name the original records. */
export function filteredWriter(writer: Writer, settings: FilterSettings): Writer {
  const filter = createRecordFilter(settings)
  if (filter === undefined) return writer
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const origin = new Map<SinkRecord, SinkRecord>()
    for (const record of records) origin.set({ ...record, bytes: filter(record.bytes) }, record)
    const { failed, ...rest } = await writer.write([...origin.keys()])
    return {
      ...rest,
      failed: failed.map((failure) => ({ ...failure, record: origin.get(failure.record) ?? failure.record })),
    }
  }
  return { ...writer, write }
}
