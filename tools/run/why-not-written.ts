import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type NotWritten = {
  readonly folder: string
  /** The system's name of the error: EROFS. */
  readonly code: string
  /** There is no room now; what is there can be used. */
  readonly isFull: boolean
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
const PROBE = '.written'

/** The first of the folders, made where it is missing, that takes no file; undefined where each does. */
export function whyNotWritten(folders: readonly string[]): NotWritten | undefined {
  for (const folder of folders) {
    const probe = join(folder, PROBE)
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(probe, 'text')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
      return { folder, code: error.code, isFull: FULL.has(error.code) }
    } finally {
      // One that a full disk left empty would stay.
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
