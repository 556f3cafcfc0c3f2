import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The identity of a process. Process ids are reused, but with another start time. */
export type Owner = { readonly pid: number; readonly started: string }

const OWNER = 'owner.json'
/** The prefix of folders that aren't complete yet. */
const HIDDEN = '.'
let count = 0

/** Makes a new folder below `parent` that this process owns. */
export function makeOwnFolder(parent: string, prefix: string): string {
  count += 1
  return takeFolder(parent, `${prefix}-${process.pid}-${count}`)
}

/**
 * Makes a new folder with a name and an owner. The folder appears with its owner, since other processes remove folders
 * without one.
 */
export function takeFolder(parent: string, name: string): string {
  const half = join(parent, `${HIDDEN}${name}`)
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { recursive: true, mode: 0o700 })
  setOwner(half, process.pid)
  const folder = join(parent, name)
  renameSync(half, folder)
  return folder
}

export function setOwner(folder: string, pid: number): void {
  const owner: Owner = { pid, started: startTime(pid) ?? '' }
  const half = join(folder, `${HIDDEN}${OWNER}`)
  writeFileSync(half, JSON.stringify(owner))
  renameSync(half, join(folder, OWNER))
}

/** Returns the folders below `parent` whose owner is gone. */
export function abandonedFolders(parent: string): readonly string[] {
  return entries(parent)
    .filter((name) => !name.startsWith(HIDDEN))
    .map((name) => join(parent, name))
    .filter((folder) => !isOwned(folder))
}

/** Returns whether the owner of a folder lives. */
export function isOwned(folder: string): boolean {
  const owner = readOwner(folder)
  return owner !== undefined && startTime(owner.pid) === owner.started
}

export function readOwner(folder: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(join(folder, OWNER), 'utf8'))
    return isOwner(owner) ? owner : undefined
  } catch (error) {
    // The owner was killed before or during the write.
    if (error instanceof Error) return undefined
    throw error
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return false
  return typeof value.pid === 'number' && typeof value.started === 'string'
}

/** Returns the start time in clock ticks since boot; undefined when the process doesn't run, empty without /proc. */
export function startTime(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return ''
    // The second field is the program's name, which may contain spaces; the start time is the 20th field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

function entries(parent: string): readonly string[] {
  try {
    return readdirSync(parent)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
