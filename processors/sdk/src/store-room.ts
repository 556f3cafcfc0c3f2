import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './failure.ts'

/** Whether a folder takes what a bus writes. */
export type StoreRoom =
  | { readonly kind: 'room' }
  | { readonly kind: 'none'; readonly code: string; readonly freeBytes?: number }

/** Two of the largest records. */
const LEAST_BYTES = 64 * 1024 * 1024
const TRIED_BYTES = 64 * 1024

/** Writes a small file there, to the disk, and removes it. Never rejects. */
export async function storeRoom(folder: string): Promise<StoreRoom> {
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
    // What can't be removed was never made.
    await rm(file, { force: true }).catch(() => undefined)
  }
}
