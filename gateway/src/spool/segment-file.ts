import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { FRAME_HEAD_BYTES, type FrameHead, frameBytes, MAX_ID_BYTES, readFrameHead } from './frame.ts'

/** The first eight bytes of a segment: the name of the format with its version. */
const FORMAT = Buffer.from('GLSPOOL1', 'latin1')
const FORMAT_NAME = FORMAT.subarray(0, 7)
export const SEGMENT_START = FORMAT

/** The content of a segment's file. */
export type SegmentIndex =
  | {
      readonly kind: 'segment'
      readonly records: number
      readonly bytes: number
      readonly oldestMs: number | undefined
      readonly tornBytes: number
    }
  /** The segment was written by another version of this program. */
  | { readonly kind: 'other version' }
  | { readonly kind: 'no segment' }

/** A record as read from disk. */
export type StoredRecord = {
  readonly id: string
  readonly json: Buffer
  readonly isIncomplete: boolean
  readonly createdMs: number
}

export type StoredBatch = {
  readonly records: readonly StoredRecord[]
  /** The number of records whose bytes fail their checksum. */
  readonly damaged: number
  /** The position of the next batch. */
  readonly end: number
}

const CHUNK_BYTES = 1024 * 1024

/**
 * Calls `visit` for each whole frame of a segment and returns their count and sizes, without checking contents.
 * Rejects where the file is unreadable.
 */
export async function indexSegment(
  path: string,
  visit: (id: string, head: FrameHead) => void = () => undefined,
): Promise<SegmentIndex> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const start = await readInto(file, chunk, 0)
    const kind = kindOf(start.subarray(0, FORMAT.length))
    if (kind !== 'segment') return { kind }
    let [at, records, oldestMs] = [FORMAT.length, 0, undefined as number | undefined]
    let held = { start: 0, bytes: start }
    for (;;) {
      if (
        at + FRAME_HEAD_BYTES + MAX_ID_BYTES > held.start + held.bytes.length &&
        held.start + held.bytes.length < size
      ) {
        held = { start: at, bytes: await readInto(file, chunk, at) }
      }
      const offset = at - held.start
      const left = held.bytes.length - offset
      const head = left < FRAME_HEAD_BYTES ? undefined : readFrameHead(held.bytes, offset)
      if (head === undefined || at + frameBytes(head) > size) break
      visit(idAt(held.bytes, offset, head), head)
      oldestMs ??= head.createdMs
      records += 1
      at += frameBytes(head)
      if (at > held.start + held.bytes.length) held = { start: at, bytes: await readInto(file, chunk, at) }
    }
    return { kind, records, bytes: at, oldestMs, tornBytes: size - at }
  } finally {
    await file.close()
  }
}

/** Reads whole records from `start`: as many as fit `bytes`, but at least one; none at the end of the segment. */
export async function readBatch(
  file: FileHandle,
  start: number,
  most: { readonly bytes: number; readonly end: number },
): Promise<StoredBatch> {
  const room = most.end - start
  let bytes = await readInto(file, Buffer.allocUnsafeSlow(Math.min(most.bytes, room)), start)
  const first = bytes.length < FRAME_HEAD_BYTES ? undefined : readFrameHead(bytes, 0)
  if (first !== undefined && frameBytes(first) > bytes.length && frameBytes(first) <= room) {
    bytes = await readInto(file, Buffer.allocUnsafeSlow(frameBytes(first)), start)
  }
  const records: StoredRecord[] = []
  let [at, damaged] = [0, 0]
  while (bytes.length - at >= FRAME_HEAD_BYTES) {
    const head = readFrameHead(bytes, at)
    if (head === undefined || at + frameBytes(head) > bytes.length) break
    const record = recordAt(bytes, at, head)
    if (record === undefined) damaged += 1
    else records.push(record)
    at += frameBytes(head)
  }
  return { records, damaged, end: start + at }
}

function recordAt(bytes: Buffer, at: number, head: FrameHead): StoredRecord | undefined {
  const idStart = at + FRAME_HEAD_BYTES
  const end = at + frameBytes(head)
  if (crc32(bytes.subarray(idStart, end)) !== head.checksum) return undefined
  const { isIncomplete, createdMs } = head
  return { id: idAt(bytes, at, head), json: bytes.subarray(idStart + head.idBytes, end), isIncomplete, createdMs }
}

function idAt(bytes: Buffer, at: number, { idBytes }: FrameHead): string {
  return bytes.toString('latin1', at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + idBytes)
}

function kindOf(start: Buffer): SegmentIndex['kind'] {
  if (start.equals(FORMAT)) return 'segment'
  return start.length === FORMAT.length && start.subarray(0, FORMAT_NAME.length).equals(FORMAT_NAME)
    ? 'other version'
    : 'no segment'
}

/** Reads the file's bytes from `position`, at most the buffer's length. */
async function readInto(file: FileHandle, target: Buffer, position: number): Promise<Buffer> {
  let filled = 0
  while (filled < target.length) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return target.subarray(0, filled)
}
