import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { mountedFolder } from './mounted-folder.ts'

/** A file system of its own that a test fills. */
export type SmallDisk = {
  readonly path: string
  /** Fills the disk until `free`. */
  fill(): void
  free(): void
} & AsyncDisposable

const PIECE = Buffer.alloc(1024 * 1024)
const SMALLEST = 4096

/** Starts a small disk; undefined if this process may not mount. */
export async function startSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mountedFolder(`size=${megabytes}m`)
  if (folder === undefined) return undefined
  const filler = join(folder.path, 'filler')
  return {
    path: folder.path,
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        for (let size = PIECE.length; size >= SMALLEST; size /= 2) writeUntilFull(file, size)
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

function writeUntilFull(file: number, size: number): void {
  for (;;) {
    try {
      // A short write fills the disk.
      if (writeSync(file, PIECE, 0, size) < size) return
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return
      throw error
    }
  }
}
