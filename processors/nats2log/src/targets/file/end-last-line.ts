import type { FileHandle } from 'node:fs/promises'

const LINE_FEED = 0x0a
const LINE_END = Uint8Array.of(LINE_FEED)
const CHUNK_BYTES = 64 * 1024
/** No record is longer than the bus's largest message. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Returns whether the file ends inside a line. */
export async function endsInsideLine(handle: FileHandle, size: number): Promise<boolean> {
  return size > 0 && (await read(handle, size - 1, 1))[0] !== LINE_FEED
}

/**
 * Completes or removes the last line: a whole record gets its missing line end, a partial record is removed. The file
 * must have only one writer, since a line that another writer has begun would be removed too.
 */
export async function endLastLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat()
  const line = await lastLine(handle, size)
  if (line.length === 0) return
  if (line.length > MAX_LINE_BYTES || isRecord(line)) await handle.write(LINE_END)
  else await handle.truncate(size - line.length)
}

/** Returns the bytes after the last line feed. */
async function lastLine(handle: FileHandle, size: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for (let end = size, length = 0; end > 0 && length <= MAX_LINE_BYTES; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const chunk = await read(handle, start, end - start)
    const tail = chunk.subarray(chunk.lastIndexOf(LINE_FEED) + 1)
    chunks.unshift(tail)
    length += tail.length
    if (tail.length < chunk.length) break
  }
  return Buffer.concat(chunks)
}

async function read(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function isRecord(line: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(line).toString())
    return true
  } catch {
    return false
  }
}
