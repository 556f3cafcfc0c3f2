import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { bytesAt } from '../bytes-at.ts'

/** A record and the id by which it can be asked for again. */
export type NamedRecord = { readonly id: string; readonly bytes: Uint8Array }

/** Records before a place, newest first. Older records lie before `from`. */
export type RecordWindow = { readonly records: readonly NamedRecord[]; readonly from: number }

export type RecordFile = {
  /** The end of the file, in bytes. */
  readonly end: number
  /** @param before the offset of a line's beginning, or the end of the file */
  window(before: number): Promise<RecordWindow>
  /** Returns a record; undefined if the file has no such record, for example after a rotation. */
  record(id: string): Promise<Uint8Array | undefined>
  close(): Promise<void>
}

/** Bytes of a window: few enough to be searched in one go. */
const WINDOW_BYTES = 1024 * 1024
/** Longest line: a record is at most as long as the bus's largest message. Longer lines are skipped. */
const MOST_LINE_BYTES = 64 * 1024 * 1024
/** Lines of a window: a file that is no file of records may have millions. */
const MOST_LINES = 10_000
const LINE_FEED = 0x0a
const ID = /^f(\d+)-(\d+)$/

/**
 * Opens the file that nats2file writes, one record a line, to read from its end. The SDK's reader starts at the
 * beginning, which may be gigabytes away.
 */
export async function openRecordFile(path: string): Promise<RecordFile | undefined> {
  // Without O_NONBLOCK the opening of a named pipe could wait forever.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  const found = await handle.stat()
  if (!found.isFile()) {
    await handle.close()
    return undefined
  }
  const { ino, size } = found
  return {
    end: size,
    window: (before) => lineWindow(handle, ino, Math.min(before, size)),
    record: async (id) => {
      const [, inode, offset] = ID.exec(id) ?? []
      return Number(inode) === ino && Number(offset) < size ? await lineAt(handle, Number(offset)) : undefined
    },
    close: () => handle.close(),
  }
}

async function lineWindow(handle: FileHandle, inode: number, before: number): Promise<RecordWindow> {
  for (let size = WINDOW_BYTES; ; size *= 4) {
    const from = Math.max(0, before - size)
    const bytes = await bytesAt(handle, from, before - from)
    // The first line may begin before the window.
    const first = from === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1
    const isPart = from > 0 && (first === 0 || first === bytes.length)
    if (isPart && size < MOST_LINE_BYTES) continue
    return isPart ? { records: [], from } : linesOf(bytes, { inode, from, first })
  }
}

type FilePosition = { readonly inode: number; readonly from: number; readonly first: number }

/** Splits the last lines, newest first. The text behind the last line feed is still being written. */
function linesOf(bytes: Uint8Array, { inode, from, first }: FilePosition): RecordWindow {
  const records: NamedRecord[] = []
  let start = first
  let end = bytes.lastIndexOf(LINE_FEED)
  for (let lines = 0; end >= first && lines < MOST_LINES; lines += 1) {
    start = end > first ? Math.max(first, bytes.lastIndexOf(LINE_FEED, end - 1) + 1) : first
    if (end > start) records.push({ id: `f${inode}-${from + start}`, bytes: bytes.subarray(start, end) })
    end = start - 1
  }
  return { records, from: from + start }
}

async function lineAt(handle: FileHandle, offset: number): Promise<Uint8Array | undefined> {
  const isBeginning = offset === 0 || (await bytesAt(handle, offset - 1, 1))[0] === LINE_FEED
  for (let size = WINDOW_BYTES; isBeginning && size <= MOST_LINE_BYTES; size *= 4) {
    const bytes = await bytesAt(handle, offset, size)
    const end = bytes.indexOf(LINE_FEED)
    if (end >= 0) return bytes.subarray(0, end)
    if (bytes.length < size) return undefined
  }
  return undefined
}
