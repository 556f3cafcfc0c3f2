import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat, statfs } from 'node:fs/promises'

export type FileReading =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too large' }
  /** A folder, a pipe, a device, a socket, or a file of the kernel without a length. */
  | { readonly kind: 'not a file'; readonly isFolder: boolean }

/** Links in the place of the file are followed unless `followsLinks` is false: then opening one fails with ELOOP. */
type ReadingOptions = { readonly limitBytes: number; readonly followsLinks?: boolean }

/**
 * Reads a file that another program may replace at any time; rejects with the system's error. A pipe that takes the
 * file's place between two steps is never waited for, and a file that grows costs no more memory than the limit.
 */
export async function readRegularFile(path: string, options: ReadingOptions): Promise<FileReading> {
  // The name is checked before the opening: the opening of a device may act on it, and that of a pipe wakes its writer.
  const named = await stat(path)
  const refusal = refusalOf(named, options.limitBytes)
  if (refusal !== undefined) return refusal
  const handle = await open(path, options.followsLinks === false ? FLAGS | constants.O_NOFOLLOW : FLAGS)
  try {
    // Meanwhile another file may have taken the name.
    const opened = await handle.stat()
    return refusalOf(opened, options.limitBytes) ?? (await readOpened(handle, opened.size, options.limitBytes))
  } finally {
    await handle.close()
  }
}

/** Without O_NONBLOCK the opening of a pipe waits for a writer and holds one of the process's few file threads. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

function refusalOf(stats: Stats, limitBytes: number): FileReading | undefined {
  if (!stats.isFile()) return { kind: 'not a file', isFolder: stats.isDirectory() }
  return stats.size > limitBytes ? { kind: 'too large' } : undefined
}

async function readOpened(handle: FileHandle, size: number, limitBytes: number): Promise<FileReading> {
  // A file with a length is read up to this length: bytes that are added meanwhile belong to the next reading.
  if (size > 0) return { kind: 'read', bytes: await readUpTo(handle, size, size) }
  if (await isOfKernel(handle)) return { kind: 'not a file', isFolder: false }
  // Some network file systems state no length.
  const bytes = await readUpTo(handle, limitBytes + 1, FIRST_BYTES)
  return bytes.length > limitBytes ? { kind: 'too large' } : { kind: 'read', bytes }
}

/** The first buffer for a file without a length: nearly all such files are empty. */
const FIRST_BYTES = 4 * 1024

async function readUpTo(handle: FileHandle, mostBytes: number, firstBytes: number): Promise<Buffer> {
  let bytes = Buffer.allocUnsafe(Math.min(firstBytes, mostBytes))
  let filled = 0
  while (filled < mostBytes) {
    if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * filled, mostBytes))
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, null)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** The file system's type of /proc in Linux (statfs, PROC_SUPER_MAGIC). */
const PROC = 0x9fa0

/**
 * Returns true for a file of /proc: the reading of some of them waits, or takes effect, in spite of O_NONBLOCK. A
 * system without /proc has no such files.
 */
async function isOfKernel({ fd }: FileHandle): Promise<boolean> {
  const system = await statfs(`/proc/self/fd/${fd}`).catch(() => undefined)
  return system?.type === PROC
}
