import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type UnwritableFolder = {
  readonly folder: string
  /** The system's error code, such as EROFS. */
  readonly code: string
  /** True: the disk is full; existing files can be used. */
  readonly isFull: boolean
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
const PROBE = '.written'

/** Makes missing folders; returns the first folder that can't be written, undefined when all can. */
export function findUnwritableFolder(folders: readonly string[]): UnwritableFolder | undefined {
  for (const folder of folders) {
    const probe = join(folder, PROBE)
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(probe, 'text')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
      return { folder, code: error.code, isFull: FULL.has(error.code) }
    } finally {
      // Without the removal, an empty file would stay on a full disk.
      ignoringReadOnly(() => rmSync(probe, { force: true }))
    }
  }
  return undefined
}

function ignoringReadOnly(remove: () => void): void {
  try {
    remove()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
