import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const ROOT = '/sys/fs/cgroup'
const V2_CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids']
const REMOVE_WITHIN_MS = 10_000

/** Makes a cgroup in every hierarchy of the machine, v1 or v2. */
export function makeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) {
    const folder = join(hierarchy, name)
    if (isVersion2(hierarchy)) delegateControllers(hierarchy)
    mkdirSync(folder, { recursive: true })
    // A new cpuset of v1 has no CPU, and no process could enter it.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if (!isVersion2(hierarchy) && existsSync(join(folder, file)))
        writeFileSync(join(folder, file), readFileSync(join(hierarchy, file)))
  }
}

/** Ends the processes of a cgroup and of the cgroups below, and removes them all; returns false when a part remains. */
export async function removeCgroup(name: string): Promise<boolean> {
  const folders = hierarchies()
    .map((hierarchy) => join(hierarchy, name))
    .filter((folder) => existsSync(folder))
  for (let waitedMs = 0; waitedMs < REMOVE_WITHIN_MS; waitedMs += 50) {
    for (const folder of folders) removeTree(folder)
    if (!folders.some((folder) => existsSync(folder))) return true
    await pause(50)
  }
  return false
}

/** Returns the existing folders of a cgroup in all hierarchies. */
export function cgroupFolders(name: string): readonly string[] {
  return hierarchies()
    .map((hierarchy) => join(hierarchy, name))
    .filter((folder) => existsSync(folder))
}

function removeTree(folder: string): void {
  for (const entry of ignoringGone(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    if (entry.isDirectory()) removeTree(join(folder, entry.name))
  for (const pid of (ignoringGone(() => readFileSync(join(folder, 'cgroup.procs'), 'utf8')) ?? '').split('\n'))
    if (pid !== '') ignoringGone(() => process.kill(Number(pid), 'SIGKILL'))
  ignoringGone(() => rmdirSync(folder))
}

/** Returns undefined for a system error: the caller tries again until the cgroup is gone. */
function ignoringGone<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function hierarchies(): readonly string[] {
  if (isVersion2(ROOT)) return [ROOT]
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(ROOT, name))
    .filter((folder) => existsSync(join(folder, 'cgroup.procs')))
}

function isVersion2(hierarchy: string): boolean {
  return existsSync(join(hierarchy, 'cgroup.controllers'))
}

function delegateControllers(hierarchy: string): void {
  const present = readFileSync(join(hierarchy, 'cgroup.controllers'), 'utf8').trim().split(' ')
  const wanted = V2_CONTROLLERS.filter((name) => present.includes(name)).map((name) => `+${name}`)
  if (wanted.length > 0) writeFileSync(join(hierarchy, 'cgroup.subtree_control'), wanted.join(' '))
}
