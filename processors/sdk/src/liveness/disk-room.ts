import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '@llm-gateway/conf/failure'

/** The result of a test write into a bus's folder: is there room for the bus? */
export type DiskRoom =
  | { readonly kind: 'room' }
  | { readonly kind: 'none'; readonly code: string; readonly freeBytes?: number }

/** The size of two of the largest records. */
const LEAST_BYTES = 64 * 1024 * 1024
const TRIED_BYTES = 64 * 1024

/** Writes and syncs a small file in the folder, then removes it. Never rejects. */
export async function checkDiskRoom(folder: string): Promise<DiskRoom> {
  const file = join(folder, `.write-test-${process.pid}`)
  try {
    const { bavail, bsize } = await statfs(folder)
    const freeBytes = bavail * bsize
    if (freeBytes < LEAST_BYTES) return { kind: 'none', code: 'ENOSPC', freeBytes }
    await using handle = await open(file, 'w', 0o600)
    await handle.writeFile(Buffer.alloc(TRIED_BYTES))
    await handle.sync()
    return { kind: 'room' }
  } catch (error) {
    return { kind: 'none', code: errorCode(error) }
  } finally {
    // The removal fails only where the folder can't be written or read, which the outcome reports already.
    await rm(file, { force: true }).catch(() => undefined)
  }
}
