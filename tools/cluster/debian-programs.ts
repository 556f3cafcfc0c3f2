import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { waitForFolderLock } from '../setup/folder-lock.ts'
import { unpackDebianPackages } from './debian-packages.ts'

export type DebianPrograms = {
  /** A folder in `.tools` for the packages' files, unpacked and not installed. */
  readonly folder: string
  readonly packages: readonly string[]
  /** Files that must exist, relative to the folder. */
  readonly programs: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** Unpacks the programs if they are missing; returns the reason when that failed. Needs no network afterwards. */
export async function ensureDebianPrograms(wanted: DebianPrograms): Promise<string | undefined> {
  const { folder, programs } = wanted
  const isThere = (): boolean => programs.every((program) => existsSync(join(folder, program)))
  const lock = await waitForFolderLock(folder)
  try {
    if (isThere()) return undefined
    const failed = await unpackDebianPackages(wanted)
    return isThere() ? undefined : (failed ?? `${wanted.packages.join(', ')}: not in the package`)
  } finally {
    lock.release()
  }
}
