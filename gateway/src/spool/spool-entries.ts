import type { Dirent } from 'node:fs'

/** `journal`: written for the case that the process is killed. */
export type SegmentKind = 'records' | 'journal'

/** What stands in a spool's folder. */
export type SpoolEntries = {
  /** File names, in the order they are to be read. */
  readonly segments: readonly string[]
  /** Files of others. */
  readonly strange: number
  /** Of a segment that is newer than all. */
  readonly nextNumber: number
}

const NAME = /^(\d{12})\.(records|journal)$/
const OURS_BESIDE = /^(lock|lost\.json(\.next)?)$/

export function segmentName(number: number, kind: SegmentKind): string {
  return `${String(number).padStart(12, '0')}.${kind}`
}

export function readEntries(entries: readonly Dirent[]): SpoolEntries {
  const isSegment = (entry: Dirent): boolean => entry.isFile() && NAME.test(entry.name)
  const numbers = entries.map(({ name }) => Number(NAME.exec(name)?.[1] ?? 0))
  return {
    segments: entries
      .filter(isSegment)
      .map(({ name }) => name)
      .sort(finalFirst),
    strange: entries.filter((entry) => !isSegment(entry) && !OURS_BESIDE.test(entry.name)).length,
    nextNumber: Math.max(0, ...numbers) + 1,
  }
}

/** A journal's records may stand, complete, in a segment too: the bus drops what comes second. */
function finalFirst(one: string, other: string): number {
  const isLater = (name: string): number => (name.endsWith('.journal') ? 1 : 0)
  return isLater(one) - isLater(other) || (one < other ? -1 : 1)
}
