import { type BuildLock, takeBuildLock } from '../re2/build-lock.ts'
import { waitUntil } from './wait-until.ts'

/** A busy machine unpacks or builds for minutes. */
const WAIT_MS = 600_000

/** Takes the lock of a folder: two processes that fill it at once would remove each other's files. */
export async function waitForFolderLock(folder: string): Promise<BuildLock> {
  const taken: BuildLock[] = []
  const take = async (): Promise<boolean> => {
    const lock = takeBuildLock(`${folder}.lock`)
    if (lock !== undefined) taken.push(lock)
    return lock !== undefined
  }
  await waitUntil(`another process has filled ${folder}`, take, WAIT_MS)
  return taken[0] ?? { release: () => undefined }
}
