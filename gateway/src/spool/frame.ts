import { crc32 } from 'node:zlib'

/**
 * The head of a frame. A frame holds a record in a segment: this head of 32 bytes, the record's id, its JSON.
 * Head, little endian: mark (4), bytes of the JSON (4), CRC-32 of id and JSON (4), flags (1), bytes of the id (1), 2
 * unused, creation time in Unix milliseconds (8, double), 4 unused, CRC-32 of the 28 bytes before (4).
 */
export type FrameHead = {
  readonly jsonBytes: number
  readonly idBytes: number
  readonly checksum: number
  /**
   * True where the caller may not have had its whole answer; a frame with the same id and without this mark replaces
   * the record.
   */
  readonly isIncomplete: boolean
  /** A time that a Date can hold. */
  readonly createdMs: number
}

/** A record on its way to disk; its JSON is written from the pieces without a copy. */
export type FrameSource = {
  readonly id: string
  /** The path of the call's router; the frame doesn't hold it. */
  readonly router: string
  readonly pieces: readonly Uint8Array[]
  readonly isIncomplete: boolean
  readonly createdMs: number
}

export const FRAME_HEAD_BYTES = 32
/** The bus takes no larger record; a head with a larger size is invalid. */
const MAX_JSON_BYTES = 64 * 1024 * 1024
/** The length is one byte; an id consists of a gateway's id and two numbers. */
export const MAX_ID_BYTES = 255

const MARK = 0x314d4652
const INCOMPLETE = 1
const HEAD_CHECKED_BYTES = 28
/** The largest distance of a Date from 1970 in milliseconds; beyond it a Date has no text. */
const MAX_TIME_MS = 8.64e15

/** Returns head and id of a record's frame; the pieces of its JSON follow. */
export function frameStart({ id, pieces, isIncomplete, createdMs }: FrameSource): Buffer {
  const start = Buffer.alloc(FRAME_HEAD_BYTES + id.length)
  start.write(id, FRAME_HEAD_BYTES, 'latin1')
  let checksum = crc32(start.subarray(FRAME_HEAD_BYTES))
  let jsonBytes = 0
  for (const piece of pieces) {
    checksum = crc32(piece, checksum)
    jsonBytes += piece.length
  }
  start.writeUInt32LE(MARK, 0)
  start.writeUInt32LE(jsonBytes, 4)
  start.writeUInt32LE(checksum, 8)
  start.writeUInt8(isIncomplete ? INCOMPLETE : 0, 12)
  start.writeUInt8(id.length, 13)
  start.writeDoubleLE(createdMs, 16)
  start.writeUInt32LE(crc32(start.subarray(0, HEAD_CHECKED_BYTES)), HEAD_CHECKED_BYTES)
  return start
}

/** Reads the head at `at`, where at least FRAME_HEAD_BYTES must follow; returns undefined for an invalid head. */
export function readFrameHead(bytes: Buffer, at: number): FrameHead | undefined {
  if (bytes.readUInt32LE(at) !== MARK) return undefined
  const checked = bytes.subarray(at, at + HEAD_CHECKED_BYTES)
  if (crc32(checked) !== bytes.readUInt32LE(at + HEAD_CHECKED_BYTES)) return undefined
  const jsonBytes = bytes.readUInt32LE(at + 4)
  const createdMs = bytes.readDoubleLE(at + 16)
  // The comparison is false for NaN, too.
  if (jsonBytes > MAX_JSON_BYTES || !(Math.abs(createdMs) <= MAX_TIME_MS)) return undefined
  return {
    jsonBytes,
    idBytes: bytes.readUInt8(at + 13),
    checksum: bytes.readUInt32LE(at + 8),
    isIncomplete: (bytes.readUInt8(at + 12) & INCOMPLETE) !== 0,
    createdMs,
  }
}

/** Returns the bytes of the whole frame. */
export function frameBytes({ jsonBytes, idBytes }: Pick<FrameHead, 'jsonBytes' | 'idBytes'>): number {
  return FRAME_HEAD_BYTES + idBytes + jsonBytes
}

/** Returns the bytes that a record takes on disk. */
export function frameSourceBytes({ id, pieces }: FrameSource): number {
  return pieces.reduce((sum, { length }) => sum + length, FRAME_HEAD_BYTES + id.length)
}
