import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { removeCgroup } from './cgroup.ts'
import { endNamespaces } from './namespaces.ts'
import { abandonedFolders, isOwned, readOwner } from './own-folder.ts'

/** The cgroup that a folder's cluster has: of the whole path, for clusters of two checkouts may have one name. */
export function cgroupOf(folder: string): string {
  const place = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `llm-gateway-${basename(folder)}-${place}`
}

/** Ends what a folder stands for, a cluster or an API server that a killed process left, and removes all of it. */
export async function removeCluster(folder: string): Promise<void> {
  const owner = readOwner(folder)
  if (owner !== undefined && owner.pid !== process.pid && isOwned(folder)) await endNamespaces(owner.pid)
  if (!(await removeCgroup(cgroupOf(folder)))) throw new Error(`cgroup ${cgroupOf(folder)} does not go`)
  // Two may find the same one; who comes second finds files missing.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** What killed predecessors left below `parent`. */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const folder of abandonedFolders(parent)) await removeCluster(folder)
}
