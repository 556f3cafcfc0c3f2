import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './program/failure.ts'

/**
 * Creates a folder with its missing parents, and leaves an existing folder as it is; rejects with the system's error.
 * Node's recursive mkdir never settles, and takes a whole core, where the system creates nothing in an existing folder:
 * in a removed working directory or in /proc.
 *
 * @param mode the permissions of all created folders
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const missing: string[] = []
  for (let at = path; !(await isMade(at, mode)); at = dirname(at)) {
    missing.unshift(at)
    if (dirname(at) === at) break
  }
  // An ENOENT is an error from here on, since the parent exists.
  for (const folder of missing) await makeOne(folder, mode)
}

/** Returns false where the folder's parent is missing. */
async function isMade(path: string, mode: number): Promise<boolean> {
  try {
    await makeOne(path, mode)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    // A share may answer EACCES for an existing folder.
    const isFolder = errorCode(error) !== 'ENOENT' && (await stat(path).catch(() => undefined))?.isDirectory() === true
    if (!isFolder) throw error
  }
}
