import { statSync } from 'node:fs'
import { access, constants, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Held until it is closed, or the process ends however it ends. */
export type FolderLock = {
  /** False once somebody removed the folder, or put something else in its place; never rejects. */
  readonly stands: () => Promise<boolean>
  readonly close: () => void
}

export type LockOutcome =
  | { readonly kind: 'locked'; readonly lock: FolderLock }
  /** Another process has it. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly code: string }

const BUSY = 5
const NO_DATABASE = 26

/** What the system says of a path that leads nowhere. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** Makes a folder that isn't there, with its parents; rejects where it can't be written to. */
export async function makeFolder(directory: string): Promise<void> {
  // On a read-only file system the recursive one says that something is missing.
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => mkdir(directory, { mode: 0o700 }))
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
}

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
    const { dev, ino } = statSync(path)
    const stands = () =>
      stat(path).then(
        (now) => now.ino === ino && now.dev === dev,
        // A disk that can't be asked now says nothing of the folder.
        (error: NodeJS.ErrnoException) => !GONE.has(error.code ?? ''),
      )
    return { kind: 'locked', lock: { stands, close: () => opened.close() } }
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (code === BUSY) return { kind: 'taken' }
    return { kind: 'failed', code: code === NO_DATABASE ? 'LOCK_DAMAGED' : 'LOCK_FAILED' }
  }
}
