import { type FileHandle, open, rm } from 'node:fs/promises'
import { errorCode } from '@llm-gateway/conf/failure'
import { type FrameSource, frameStart } from './frame.ts'
import { SEGMENT_START } from './segment-file.ts'

/** A segment that this process writes or reads; the numbers change meanwhile. */
export class Segment {
  readonly path: string
  /** The bytes of its file. */
  bytes = 0
  records = 0
  /** The time of its first record in Unix milliseconds. */
  oldestMs: number | undefined
  /** The bytes of the segment's start and of the records that were read and removed. */
  readBytes = SEGMENT_START.length
  readRecords = 0

  constructor(path: string) {
    this.path = path
  }
}

/** Writes records one after another into a segment; a batch is written as a whole or not at all. */
export class SegmentWriter {
  readonly segment: Segment
  readonly #file: FileHandle

  private constructor(segment: Segment, file: FileHandle) {
    this.segment = segment
    this.#file = file
  }

  /** Creates a segment at the first free path; rejects where its file can't be created. */
  static async create(nextPath: () => string): Promise<SegmentWriter> {
    const { path, file } = await createFile(nextPath)
    const writer = new SegmentWriter(new Segment(path), file)
    try {
      await writeAll(file, [SEGMENT_START], 0)
    } catch (error) {
      await file.close()
      // A full disk may still take files without a byte, one at each attempt.
      await rm(path, { force: true }).catch(() => undefined)
      throw error
    }
    writer.segment.bytes = SEGMENT_START.length
    return writer
  }

  /** Appends a batch; rejects where the disk doesn't take all of it, and the segment keeps its former end. */
  async append(records: readonly FrameSource[]): Promise<void> {
    await this.#write(records.flatMap((record) => [frameStart(record), ...record.pieces]))
    this.segment.records += records.length
    this.segment.oldestMs ??= records[0]?.createdMs
  }

  /** Appends a whole frame that was read from another segment; rejects like `append`. */
  async appendFrame(frame: Buffer): Promise<void> {
    await this.#write([frame])
    this.segment.records += 1
  }

  async #write(buffers: readonly Uint8Array[]): Promise<void> {
    const { segment } = this
    const bytes = buffers.reduce((sum, { length }) => sum + length, 0)
    try {
      await writeAll(this.#file, buffers, segment.bytes)
    } catch (error) {
      // Remaining bytes are overwritten by the next batch, or cut off as a torn end at the next start.
      await this.#file.truncate(segment.bytes).catch(() => undefined)
      throw error
    }
    segment.bytes += bytes
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Somebody else's directory or file may have a segment's name; the folder has a limited number of them. */
async function createFile(nextPath: () => string): Promise<{ readonly path: string; readonly file: FileHandle }> {
  for (;;) {
    const path = nextPath()
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
    if (file !== undefined) return { path, file }
  }
}

/** Writes all buffers; the kernel may take a part of them per call and reports a full disk as an error. */
async function writeAll(file: FileHandle, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let [rest, at] = [buffers, position]
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev([...rest], at)
    at += bytesWritten
    rest = behind(rest, bytesWritten)
  }
}

/** Returns the buffers behind their first `count` bytes; none of them is empty. */
function behind(buffers: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let left = count
  for (const [index, buffer] of buffers.entries()) {
    if (buffer.length > left) return [buffer.subarray(left), ...buffers.slice(index + 1)]
    left -= buffer.length
  }
  return []
}
