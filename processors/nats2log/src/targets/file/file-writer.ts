import { toOneLine } from '@llm-gateway/protocol'
import { errorCode, type Logger } from '@llm-gateway/sdk'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { RecordFile, type WriteMode } from './record-file.ts'
import { RecordJournal, type WritePlace } from './record-journal.ts'
import { createWriteRecovery } from './recover-write.ts'
import { pruneRotatedFiles, type RotatedFileSettings } from './rotated-files.ts'

export type Rotation = {
  /** The size and the age at which a file is rotated; 0: never. */
  readonly bytes: number
  readonly seconds: number
  readonly keep: RotatedFileSettings
}

export type FileTarget = {
  readonly filename: string
  readonly writeMode: WriteMode
  /** True: each batch is synced to the disk before it counts as delivered. */
  readonly fsync?: boolean
  readonly rotation?: Rotation
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A record takes two buffers, so a batch fits into one `writev` (IOV_MAX is 1,024). */
const BATCH = { records: 500, bytes: 8 * 1024 * 1024 }
const NEVER: Rotation = { bytes: 0, seconds: 0, keep: { gzip: false, files: 0, days: 0 } }

/**
 * Writes one JSON record per line. Without `fsync` a crash of the sink loses nothing; a crash of the machine may lose
 * records.
 */
export function createFileWriter(target: FileTarget): Writer {
  const { filename, fsync = false, rotation = NEVER, now } = target
  const file = new RecordFile(filename, target.writeMode, now)
  const journal = new RecordJournal(`${filename}.seen`)
  // True while rotated files may wait for their compression, such as after a start.
  let needsPruning = true
  let pruning = Promise.resolve()
  const open = async (): Promise<void> => {
    if (!journal.isOpen) await journal.open(createWriteRecovery(filename))
    await file.open()
  }
  const place = async (): Promise<WritePlace> => {
    const { file: name, at, path, sinceMs } = await file.place()
    const isFull = rotation.bytes > 0 && at >= rotation.bytes
    const isOld = rotation.seconds > 0 && now() - sinceMs >= rotation.seconds * 1_000
    if (at === 0 || !(isFull || isOld)) return { file: name, at, path }
    await file.rotateFile()
    await file.open()
    needsPruning = true
    return await file.place()
  }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    await open()
    const lines = records.map(({ bytes }) => toOneLine(bytes))
    const { file: name, at, path } = await place()
    await journal.announce(
      { file: name, at, path },
      records,
      lines.map((line) => line.length + 1),
    )
    const { lines: written, error } = await file.append(lines)
    if (fsync) await file.sync(at)
    journal.wrote(written)
    // Rotated files are pruned only after the write: until the next batch is announced, a restart must find the last
    // batch's file.
    if (needsPruning && (rotation.bytes > 0 || rotation.seconds > 0)) {
      needsPruning = false
      pruning = pruning.then(() => pruneRotatedFiles(path, rotation.keep, target))
    }
    return error === undefined ? DELIVERED : allFailed(records.slice(written), { code: errorCode(error), again: true })
  }
  return {
    batch: BATCH,
    concurrency: 1,
    // A full disk or a missing folder concerns all records.
    inOrder: true,
    checkpoints: journal,
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
      await pruning
    },
  }
}
