import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type BuildLock = { release(): void }

const REFRESH_MS = 5_000
/** A killed holder leaves its file, and its process id may soon belong to another program. */
const STALE_MS = 30_000

/** Takes the lock, a file with our process id; undefined while another living process holds it. */
export function takeBuildLock(file: string, now: () => number = Date.now): BuildLock | undefined {
  mkdirSync(dirname(file), { recursive: true })
  if (isAbandoned(file, now())) rmSync(file, { force: true })
  if (!create(file)) return undefined
  const refresh = setInterval(() => refreshTime(file, now()), REFRESH_MS).unref()
  return {
    release: () => {
      clearInterval(refresh)
      rmSync(file, { force: true })
    },
  }
}

function create(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function isAbandoned(file: string, now: number): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return false
  return now - found.mtimeMs > STALE_MS || !isAlive(holderPid(file))
}

/** Returns the holder's process id; 0 when the file is gone or still empty. */
function holderPid(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

function refreshTime(file: string, now: number): void {
  try {
    utimesSync(file, now / 1_000, now / 1_000)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
