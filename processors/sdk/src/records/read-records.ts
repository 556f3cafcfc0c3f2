import { createReadStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCode } from '@llm-gateway/conf/failure'
import type { BusStreams } from '../bus/bus-streams.ts'
import { waitFor } from '../wait.ts'
import { readStream, type SilenceLimit } from './read-stream.ts'
import { isWanted, type RecordQuery } from './record-query.ts'

export type RecordReading = {
  readonly query: RecordQuery
  /** True: goes on with new records. */
  readonly follow: boolean
  readonly signal: AbortSignal
}

/** A record is at most as large as the bus's largest message; a longer line is not a record and is skipped. */
const MOST_LINE_BYTES = 64 * 1024 * 1024
const PIECE_BYTES = 64 * 1024
const LINE_FEED = 0x0a
const POLL_MS = 500

/** Reads records from the bus, oldest first. */
export async function* recordsOfStream(
  place: { readonly streams: BusStreams; readonly stream: string; readonly silenceLimit?: SilenceLimit | undefined },
  { query, follow, signal }: RecordReading,
): AsyncGenerator<Uint8Array, void> {
  const { sinceMs } = query
  const start = sinceMs === undefined ? ({ kind: 'beginning' } as const) : ({ kind: 'time', timeMs: sinceMs } as const)
  for await (const { bytes } of readStream({ ...place, start, follow, signal })) {
    if (isWanted(query, bytes)) yield bytes
  }
}

/**
 * Reads records from files with one record a line, in the order of the files; a file named `.gz` is compressed. With
 * `follow`, goes on with lines added to the last file and with a new file of the same name.
 */
export async function* recordsOfFiles(
  paths: readonly string[],
  { query, follow, signal }: RecordReading,
): AsyncGenerator<Uint8Array, void> {
  for (const [index, path] of paths.entries()) {
    const isLast = index === paths.length - 1
    const pieces = follow && isLast ? followedFile(path, signal) : wholeFile(path)
    for await (const line of linesOf(pieces)) {
      if (signal.aborted) return
      if (line.length > 0 && isWanted(query, line)) yield line
    }
  }
}

function wholeFile(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path)
  if (!path.endsWith('.gz')) return file
  return pipeline(file, createGunzip(), () => {
    // The reader of the pipeline's last stream gets the error; with `pipe` alone, an error of the file would end the
    // process.
  })
}

async function* followedFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  while (!signal.aborted) {
    const handle = await open(path, 'r')
    try {
      const { ino } = await handle.stat()
      let isCurrent = true
      while (!signal.aborted) {
        yield* restOf(handle)
        // `isCurrent` was read before the last pass, so lines written before the file was moved are read too.
        if (!isCurrent) break
        isCurrent = await isSame(path, ino)
        if (isCurrent && !(await waitFor(POLL_MS, signal))) return
      }
    } finally {
      await handle.close()
    }
  }
}

/** Reads on to the file's end. A stream for each look would stay in memory until the file is closed. */
async function* restOf(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES))
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * Returns whether the path still names the file that is read; a file that is missing for a moment counts as the same.
 */
async function isSame(path: string, inode: number): Promise<boolean> {
  try {
    return (await stat(path)).ino === inode
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    throw error
  }
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    let from = 0
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
      if (bytes <= MOST_LINE_BYTES) yield Buffer.concat([...parts, piece.subarray(from, end)])
      parts = []
      bytes = 0
      from = end + 1
    }
    bytes += piece.length - from
    if (bytes > MOST_LINE_BYTES) parts = []
    else if (from < piece.length) parts.push(piece.subarray(from))
  }
}
