import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Held until it is closed, or the process ends however it ends. */
export type FolderLock = { readonly close: () => void }

export type LockOutcome =
  | { readonly kind: 'locked'; readonly lock: FolderLock }
  /** Another process has it. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly code: string }

const BUSY = 5
const NO_DATABASE = 26

/**
 * Takes a folder for this process. Node has no file locks of its own; SQLite's are the kernel's, which lets go of them with
 * the process, sees them from every container of a machine, and through NFS too. A process's number tells none of that.
 */
export async function lockFolder(directory: string): Promise<LockOutcome> {
  const path = join(directory, 'lock')
  const outcome = tryLock(path)
  if (outcome.kind !== 'failed' || outcome.code !== 'LOCK_DAMAGED') return outcome
  // Nobody holds a file that SQLite can't read: who held it made it readable.
  await rm(path, { force: true })
  return tryLock(path)
}

function tryLock(path: string): LockOutcome {
  let database: DatabaseSync | undefined
  try {
    const opened = new DatabaseSync(path)
    database = opened
    // Nothing is ever written: no journal beside it.
    opened.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return { kind: 'locked', lock: { close: () => opened.close() } }
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (code === BUSY) return { kind: 'taken' }
    return { kind: 'failed', code: code === NO_DATABASE ? 'LOCK_DAMAGED' : 'LOCK_FAILED' }
  }
}
