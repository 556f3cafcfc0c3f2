import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names a process for as long as it lives: process numbers are used again, with another start time. */
export type Owner = { readonly pid: number; readonly started: string }

const OWNER = 'owner.json'
/** Begins the names of what isn't whole yet. */
const HIDDEN = '.'
let count = 0

/** A new folder below `parent` that belongs to this process. */
export function makeOwnFolder(parent: string, prefix: string): string {
  count += 1
  return takeFolder(parent, `${prefix}-${process.pid}-${count}`)
}

/** A new folder of this name, owned from the moment it is there: others remove what has no owner. */
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

/** The folders below `parent` whose owner is gone. */
export function abandonedFolders(parent: string): readonly string[] {
  return entries(parent)
    .filter((name) => !name.startsWith(HIDDEN))
    .map((name) => join(parent, name))
    .filter((folder) => !isOwned(folder))
}

/** Whether the process that a folder belongs to lives. */
export function isOwned(folder: string): boolean {
  const owner = readOwner(folder)
  return owner !== undefined && startTime(owner.pid) === owner.started
}

export function readOwner(folder: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(join(folder, OWNER), 'utf8'))
    return isOwner(owner) ? owner : undefined
  } catch (error) {
    // Killed before it wrote, or while.
    if (error instanceof Error) return undefined
    throw error
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return false
  return typeof value.pid === 'number' && typeof value.started === 'string'
}

/** In clock ticks since the machine's start; undefined where no such process runs, empty where there is no /proc. */
export function startTime(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return ''
    // The second field is the program's name, which may hold anything; the start is the 20th after it.
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
