import { type BuildLock, takeBuildLock } from '../re2/build-lock.ts'
import { waitUntil } from './wait-until.ts'

/** Takes the lock of a folder of unpacked packages: two processes unpacking at once would remove each other's files. */
export async function waitForUnpackLock(folder: string): Promise<BuildLock> {
  const taken: BuildLock[] = []
  await waitUntil('the packages are unpacked', async () => {
    const lock = takeBuildLock(`${folder}.lock`)
    if (lock !== undefined) taken.push(lock)
    return lock !== undefined
  })
  return taken[0] ?? { release: () => undefined }
}
