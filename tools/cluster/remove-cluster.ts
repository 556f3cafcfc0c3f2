import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { removeCgroup } from './cgroup.ts'
import { endNamespaces } from './namespaces.ts'
import { abandonedFolders, isOwned, readOwner } from './own-folder.ts'

/**
 * Returns the cgroup of a folder's cluster. The cgroup's name depends on the whole path, since clusters of two
 * checkouts may share a name.
 */
export function cgroupOf(folder: string): string {
  const place = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `llm-gateway-${basename(folder)}-${place}`
}

/** Ends the cluster or API server of a folder, left by a killed process, and removes its files. */
export async function removeCluster(folder: string): Promise<void> {
  const owner = readOwner(folder)
  if (owner !== undefined && owner.pid !== process.pid && isOwned(folder)) await endNamespaces(owner.pid)
  if (!(await removeCgroup(cgroupOf(folder)))) throw new Error(`cgroup ${cgroupOf(folder)} can't be removed`)
  // Two processes may remove the same folder; the second finds files missing.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Removes the folders of killed processes below `parent`. */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const folder of abandonedFolders(parent)) await removeCluster(folder)
}
