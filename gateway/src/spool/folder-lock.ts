import { statSync } from 'node:fs'
import { access, constants, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '@llm-gateway/conf'

/** A lock that is held until it is closed, or the process ends in any way. */
export type FolderLock = {
  /** Resolves with false once the folder was removed or replaced; never rejects. */
  readonly isInPlace: () => Promise<boolean>
  readonly close: () => void
}

export type LockOutcome =
  | { readonly kind: 'locked'; readonly lock: FolderLock }
  /** Another process holds the lock. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly code: string }

const BUSY = 5
const NO_DATABASE = 26

/** The system's errors for a path that leads nowhere. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** Creates a missing folder with its parents; rejects where the folder isn't writable. */
export async function prepareFolder(directory: string): Promise<void> {
  await makeFolder(directory, 0o700)
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
}

/**
 * Locks a folder for this process. Node has no file locks of its own. SQLite uses the kernel's: they end with the
 * process, and they hold across the containers of a machine and over NFS. A process id in a file would show none of
 * this.
 */
export async function lockFolder(directory: string): Promise<LockOutcome> {
  const path = join(directory, 'lock')
  const outcome = tryLock(path)
  if (outcome.kind !== 'failed' || outcome.code !== 'LOCK_DAMAGED') return outcome
  // No process holds a lock file that SQLite can't read: the holder of a lock has written a readable file.
  await rm(path, { force: true })
  return tryLock(path)
}

function tryLock(path: string): LockOutcome {
  let database: DatabaseSync | undefined
  try {
    const opened = new DatabaseSync(path)
    database = opened
    // The lock writes nothing, so that no journal file appears beside it.
    opened.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    const { dev, ino } = statSync(path)
    const stands = () =>
      stat(path).then(
        (now) => now.ino === ino && now.dev === dev,
        // Any other error of the disk doesn't mean that the folder is gone.
        (error: NodeJS.ErrnoException) => !GONE.has(error.code ?? ''),
      )
    return { kind: 'locked', lock: { isInPlace: stands, close: () => opened.close() } }
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (code === BUSY) return { kind: 'taken' }
    return { kind: 'failed', code: code === NO_DATABASE ? 'LOCK_DAMAGED' : 'LOCK_FAILED' }
  }
}
