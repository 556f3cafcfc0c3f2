import { toOneLine } from '@llm-gateway/protocol'
import { errorCode } from '@llm-gateway/sdk'
import { restIn } from './find-rest.ts'
import { RecordFile, type WriteMode } from './record-file.ts'
import { RecordJournal } from './record-journal.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from './writer.ts'

export type FileTarget = {
  readonly filename: string
  readonly writeMode: WriteMode
  /** Each batch is on the disk before it counts as delivered. */
  readonly fsync?: boolean
}

/** Two pieces a record: what one system call takes (IOV_MAX is 1,024) is written by one. */
const BATCH = { records: 500, bytes: 8 * 1024 * 1024 }

/** Writes one JSON record a line (wire, 1.2). Without `fsync` a crash of the sink loses nothing, one of the machine may. */
export function createFileWriter({ filename, writeMode, fsync = false }: FileTarget): Writer {
  const file = new RecordFile(filename, writeMode)
  const journal = new RecordJournal(`${filename}.seen`)
  const open = async (): Promise<void> => {
    if (!journal.isOpen) await journal.open(restIn(filename))
    await file.open()
  }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    await open()
    const lines = records.map(({ bytes }) => toOneLine(bytes))
    const { file: name, at } = await file.place()
    await journal.announce(
      { file: name, at },
      records,
      lines.map((line) => line.length + 1),
    )
    const { lines: written, error } = await file.append(lines)
    if (fsync) await file.sync(at)
    journal.wrote(written)
    return error === undefined ? DELIVERED : allFailed(records.slice(written), { code: errorCode(error), again: true })
  }
  return {
    batch: BATCH,
    concurrency: 1,
    memory: journal,
    open: async () => {
      try {
        await open()
        return undefined
      } catch (error) {
        return errorCode(error)
      }
    },
    write: async (records) => {
      try {
        return await write(records)
      } catch (error) {
        return allFailed(records, { code: errorCode(error), again: true })
      }
    },
    close: async () => {
      await file.close()
      await journal.close()
    },
  }
}
