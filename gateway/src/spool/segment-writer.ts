import { type FileHandle, open } from 'node:fs/promises'
import { type FrameSource, frameStart } from './frame.ts'
import { SEGMENT_START } from './segment-file.ts'

/** A segment of our own. A class: its numbers change as it is written and read. */
export class Segment {
  readonly path: string
  /** Of its file. */
  bytes = 0
  records = 0
  /** Unix milliseconds of its first record. */
  oldestMs: number | undefined
  /** Bytes that were read and are done with. */
  readBytes = SEGMENT_START.length
  readRecords = 0

  constructor(path: string) {
    this.path = path
  }
}

/** Writes records behind one another into one segment, all of a batch or none. */
export class SegmentWriter {
  readonly segment: Segment
  readonly #file: FileHandle

  private constructor(segment: Segment, file: FileHandle) {
    this.segment = segment
    this.#file = file
  }

  /** Rejects where the file can't be made. */
  static async create(path: string): Promise<SegmentWriter> {
    const file = await open(path, 'wx', 0o600)
    const writer = new SegmentWriter(new Segment(path), file)
    try {
      await writeAll(file, [SEGMENT_START], 0)
    } catch (error) {
      await file.close()
      throw error
    }
    writer.segment.bytes = SEGMENT_START.length
    return writer
  }

  /** Rejects where the disk doesn't take all of it: the segment ends then where it ended before. */
  async append(records: readonly FrameSource[]): Promise<void> {
    const { segment } = this
    const buffers = records.flatMap((record) => [frameStart(record), ...record.pieces])
    const bytes = buffers.reduce((sum, { length }) => sum + length, 0)
    try {
      await writeAll(this.#file, buffers, segment.bytes)
    } catch (error) {
      // What stays of it is overwritten, or cut off as a torn tail at the next start.
      await this.#file.truncate(segment.bytes).catch(() => undefined)
      throw error
    }
    segment.bytes += bytes
    segment.records += records.length
    segment.oldestMs ??= records[0]?.madeMs
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** The kernel may take a part at a time; what it doesn't take in the end it says with an error. */
async function writeAll(file: FileHandle, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let [rest, at] = [buffers, position]
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev([...rest], at)
    at += bytesWritten
    rest = behind(rest, bytesWritten)
  }
}

/** What is left of the buffers behind their first `count` bytes; none of them is empty. */
function behind(buffers: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let left = count
  for (const [index, buffer] of buffers.entries()) {
    if (buffer.length > left) return [buffer.subarray(left), ...buffers.slice(index + 1)]
    left -= buffer.length
  }
  return []
}
