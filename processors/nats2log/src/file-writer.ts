import { toOneLine } from '@llm-gateway/protocol'
import { errorCode } from '@llm-gateway/sdk'
import { RecordFile, type WriteMode } from './record-file.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from './writer.ts'

/** Two pieces a record: what one system call takes (IOV_MAX is 1,024) is written by one. */
const BATCH = { records: 500, bytes: 8 * 1024 * 1024 }

/** Writes one JSON record a line (wire, 1.2). Not synced to disk: a crash of the sink loses nothing, one of the machine may. */
export function createFileWriter(options: { readonly filename: string; readonly writeMode: WriteMode }): Writer {
  const file = new RecordFile(options.filename, options.writeMode)
  return {
    batch: BATCH,
    concurrency: 1,
    open: async () => {
      try {
        await file.open()
        return undefined
      } catch (error) {
        return errorCode(error)
      }
    },
    write: (records) => writeLines(file, records),
    close: () => file.close(),
  }
}

async function writeLines(file: RecordFile, records: readonly SinkRecord[]): Promise<Attempt> {
  try {
    await file.open()
    const { lines, error } = await file.append(records.map(({ bytes }) => toOneLine(bytes)))
    if (error === undefined) return DELIVERED
    return allFailed(records.slice(lines), { code: errorCode(error), again: true })
  } catch (error) {
    return allFailed(records, { code: errorCode(error), again: true })
  }
}
