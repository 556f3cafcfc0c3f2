import { createRecordFilter, type FilterSettings } from './record-filter.ts'
import type { Attempt, SinkRecord, Writer } from './writer.ts'

/** A writer that is given records without what the settings leave out; its failures name the records as they came. */
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
