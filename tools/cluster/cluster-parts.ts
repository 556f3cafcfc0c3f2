import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checkout } from '../setup/get-packages.ts'
import { ensurePrograms, missingPrograms } from './ensure-programs.ts'
import { isWritable, whyNoNode } from './may-run-node.ts'
import { ensureNodePrograms, type NodePrograms } from './node-programs.ts'
import { CLUSTER_PROGRAMS } from './recipes.ts'

/** The programs of a cluster. */
export type ClusterParts = { readonly bin: string; readonly programs: NodePrograms }
export type ClusterPartsOutcome =
  | { readonly kind: 'ready'; readonly parts: ClusterParts }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Returns the folder of running clusters and API servers. */
export function runningFolder(root: string): string {
  return join(root, '.tools/kubernetes/running')
}

/** Builds and unpacks missing programs. */
export async function ensureClusterParts(checkout: Checkout): Promise<ClusterPartsOutcome> {
  const built = await ensurePrograms(checkout, CLUSTER_PROGRAMS)
  if (built.kind === 'unavailable') return built
  const node = await ensureNodePrograms(join(checkout.root, '.tools/kubernetes/debian'), checkout.environment)
  if (node.kind === 'unavailable') return node
  return { kind: 'ready', parts: { bin: built.bin, programs: node.programs } }
}

/** Returns the reason why this machine can't run a node, whether or not programs are built. */
export function whyNoNodeHere(): string | undefined {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
  return whyNoNode({ platform: process.platform, status, isWritable })
}

/**
 * Returns the reason why no cluster can be started now without a build or a download; undefined when it can be tried.
 */
export function whyNoCluster(root: string): string | undefined {
  const reason = whyNoNodeHere()
  if (reason !== undefined) return reason
  const missing = missingPrograms(root, CLUSTER_PROGRAMS)
  return missing.length === 0 ? undefined : `${missing.join(', ')} not built: node tools/cluster/main.ts build`
}
