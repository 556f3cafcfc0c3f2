import { type BuildLock, takeBuildLock } from '../re2/build-lock.ts'
import { waitUntil } from './wait-until.ts'

/** The lock of a folder of unpacked packages: two that unpack at once would take each other's files away. */
export async function waitForUnpackLock(folder: string): Promise<BuildLock> {
  const taken: BuildLock[] = []
  await waitUntil('the packages are unpacked', async () => {
    const lock = takeBuildLock(`${folder}.lock`)
    if (lock !== undefined) taken.push(lock)
    return lock !== undefined
  })
  return taken[0] ?? { release: () => undefined }
}
