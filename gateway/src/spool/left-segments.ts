import type { Dirent } from 'node:fs'
import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@llm-gateway/conf'
import { errorCode } from '@llm-gateway/conf/failure'
import { indexSegment } from './segment-file.ts'
import { Segment } from './segment-writer.ts'
import { isJournal, readEntries } from './spool-entries.ts'

/** The segments that earlier processes left in a folder. */
export type LeftSegments = {
  /** In the order of reading. */
  readonly segments: readonly Segment[]
  /** The number of the next segment. */
  readonly nextNumber: number
  /** The number of records that are lost because their end was torn; 0 for a folder with a journal. */
  readonly torn: number
}

type Options = {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Returns true where the process ends, and the rest of a folder is left to the next one. */
  readonly isClosed: () => boolean
}

/** Reads the heads of all records of a folder; rejects where the folder is unreadable. */
export async function findLeftSegments(directory: string, { logger, isClosed }: Options): Promise<LeftSegments> {
  const entries: readonly Dirent[] = await readdir(directory, { withFileTypes: true })
  const { segments: names, foreignFiles, nextNumber } = readEntries(entries)
  if (foreignFiles > 0) logger.warn({ directory, files: foreignFiles }, 'spool folder contains foreign files')
  const hasJournal = names.some(isJournal)
  const segments: Segment[] = []
  let torn = 0
  for (const name of names) {
    if (isClosed()) break
    const left = await openSegment(directory, name, logger)
    if (left === undefined) continue
    // A journal has each record until the spool has it, and one torn in the journal belongs to an unanswered call.
    if (left.isTorn && !hasJournal) torn += 1
    if (left.segment.records > 0) segments.push(left.segment)
  }
  return { segments, nextNumber, torn }
}

/** A torn end was left by a killed process; it counts as one record, since the real number is unknown. */
type LeftSegment = { readonly segment: Segment; readonly isTorn: boolean }

async function openSegment(
  directory: string,
  name: string,
  logger: Options['logger'],
): Promise<LeftSegment | undefined> {
  const segment = new Segment(join(directory, name))
  const index = await indexSegment(segment.path).catch((error) => ({ kind: errorCode(error) }))
  if (!('records' in index)) {
    logger.warn({ file: name, code: index.kind }, 'unreadable spool segment was left in place')
    return undefined
  }
  const { tornBytes, records, bytes, oldestMs } = index
  if (tornBytes > 0) {
    logger.warn({ file: name, bytes: tornBytes }, 'incomplete record at the end of a spool segment was cut off')
  }
  if (records === 0) await rm(segment.path, { force: true }).catch(() => undefined)
  // The next start would count a remaining end once more, as it does where the file can't be written.
  else if (tornBytes > 0) await truncate(segment.path, bytes).catch(() => undefined)
  segment.bytes = bytes
  segment.records = records
  segment.oldestMs = oldestMs
  return { segment, isTorn: tornBytes > 0 }
}
