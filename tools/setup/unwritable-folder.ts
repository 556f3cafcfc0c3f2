import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '@llm-gateway/conf/failure'

export type UnwritableFolder = {
  readonly folder: string
  /** The system's error code, such as EROFS. */
  readonly code: string
  /** True: the disk is full or its quota used up; existing files can be used. */
  readonly isFull: boolean
  /** True: empty files can be made, as on most full disks, but not beyond a quota. */
  readonly takesEmptyFiles: boolean
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
const PROBE = '.written'

/** Makes missing folders; returns those that can't be written. */
export function findUnwritableFolders(folders: readonly string[]): readonly UnwritableFolder[] {
  return folders.flatMap((folder) => {
    const code = probe(folder, 'text')
    if (code === undefined) return []
    return [{ folder, code, isFull: FULL.has(code), takesEmptyFiles: probe(folder, '') === undefined }]
  })
}

/** Returns the code of the error with which a new file in the folder fails; undefined where the file can be written. */
function probe(folder: string, text: string): string | undefined {
  const file = join(folder, PROBE)
  try {
    makeFolder(folder)
    writeFileSync(file, text)
    return undefined
  } catch (error) {
    return systemCode(error)
  } finally {
    // Without the removal, an empty file would stay on a full disk.
    ignoringReadOnly(() => rmSync(file, { force: true }))
  }
}

/** Makes the folder and its parents. On a read-only file system Node's own `recursive` fails with ENOENT, not EROFS. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

function systemCode(error: unknown): string {
  const code = errorCode(error)
  if (code === 'UNKNOWN') throw error
  return code
}

function ignoringReadOnly(remove: () => void): void {
  try {
    remove()
  } catch (error) {
    systemCode(error)
  }
}
