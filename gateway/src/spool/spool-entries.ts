import type { Dirent } from 'node:fs'

/** The kind of a segment; a `journal` is read only where its process was killed. */
export type SegmentKind = 'records' | 'journal'

/** The content of a spool's folder. */
export type SpoolEntries = {
  /** File names in the order of reading. */
  readonly segments: readonly string[]
  /** The number of files that aren't ours. */
  readonly foreignFiles: number
  /** The number of the next segment, above all others. */
  readonly nextNumber: number
}

const NAME = /^(\d{12})\.(records|journal)$/
const OURS_BESIDE = /^(lock|lost\.json(\.next)?)$/

export function segmentName(number: number, kind: SegmentKind): string {
  return `${String(number).padStart(12, '0')}.${kind}`
}

export function isJournal(name: string): boolean {
  return name.endsWith('.journal')
}

export function readEntries(entries: readonly Dirent[]): SpoolEntries {
  const isSegment = (entry: Dirent): boolean => entry.isFile() && NAME.test(entry.name)
  const numbers = entries.map(({ name }) => Number(NAME.exec(name)?.[1] ?? 0))
  return {
    segments: entries
      .filter(isSegment)
      .map(({ name }) => name)
      .sort(journalsLast),
    foreignFiles: entries.filter((entry) => !isSegment(entry) && !OURS_BESIDE.test(entry.name)).length,
    nextNumber: Math.max(0, ...numbers) + 1,
  }
}

/** Orders journals last: a complete copy of their records may be in a segment, and the bus drops the second copy. */
function journalsLast(one: string, other: string): number {
  const isLater = (name: string): number => (isJournal(name) ? 1 : 0)
  return isLater(one) - isLater(other) || (one < other ? -1 : 1)
}
