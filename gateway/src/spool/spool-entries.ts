import type { Dirent } from 'node:fs'

/** The kind of a segment; a `journal` is read only where its process was killed. */
export type SegmentKind = 'records' | 'journal'

/** The content of a spool's folder. */
export type SpoolEntries = {
  /** File names in the order of reading. */
  readonly segments: readonly string[]
  /** The number of files that aren't ours. */
  readonly foreignFiles: number
  /** The number of the next segment, above those of all segments that this program has counted. */
  readonly nextNumber: number
}

const NAME = /^(\d{12})\.(records|journal)$/
/**
 * New segments are numbered behind all segments up to this number. A segment with a larger number is read, but not
 * counted: no process of ours has written so many segments, and a number of 13 digits would be no name of a segment.
 */
const LARGEST_COUNTED = 900_000_000_000
const OURS_BESIDE = /^(lock|lost\.json(\.next)?)$/

export function segmentName(number: number, kind: SegmentKind): string {
  return `${String(number).padStart(12, '0')}.${kind}`
}

export function isJournal(name: string): boolean {
  return name.endsWith('.journal')
}

export function readEntries(entries: readonly Pick<Dirent, 'name' | 'isFile'>[]): SpoolEntries {
  const segments: string[] = []
  let [foreignFiles, largest] = [0, 0]
  for (const entry of entries) {
    const digits = entry.isFile() ? NAME.exec(entry.name)?.[1] : undefined
    if (digits !== undefined) {
      segments.push(entry.name)
      if (Number(digits) <= LARGEST_COUNTED) largest = Math.max(largest, Number(digits))
    } else if (!OURS_BESIDE.test(entry.name)) foreignFiles += 1
  }
  return { segments: segments.sort(journalsLast), foreignFiles, nextNumber: largest + 1 }
}

/** Orders journals last: a complete copy of their records may be in a segment, and the bus drops the second copy. */
function journalsLast(one: string, other: string): number {
  const isLater = (name: string): number => (isJournal(name) ? 1 : 0)
  return isLater(one) - isLater(other) || (one < other ? -1 : 1)
}
