import { join } from 'node:path'
import {
  type Cluster,
  type ClusterOptions,
  existingCluster,
  startCluster as start,
} from '../../tools/cluster/cluster.ts'
import { ensureClusterParts, runningFolder, whyNoCluster as whyNot } from '../../tools/cluster/cluster-parts.ts'

export type { Cluster } from '../../tools/cluster/cluster.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Returns the cluster of KUBECONFIG, or starts a node for this test. The cluster is ready for pods when the promise
 * resolves.
 */
export async function startCluster(
  environment: NodeJS.ProcessEnv,
  options: Pick<ClusterOptions, 'audit'> = {},
): Promise<Cluster> {
  if (environment.KUBECONFIG) return existingCluster(environment.KUBECONFIG, environment)
  const outcome = await ensureClusterParts({ root: ROOT, environment, say: console.log })
  if (outcome.kind === 'unavailable') throw new Error(outcome.reason)
  return start({ ...options, ...outcome.parts, folder: runningFolder(ROOT) })
}

/** Returns the reason to skip tests (`test(…, { skip })`) with a cluster; false if they can or, in CI, must run. */
export function whyNoCluster(environment: NodeJS.ProcessEnv): string | false {
  if (environment.CI === 'true' || environment.KUBECONFIG) return false
  return whyNot(ROOT) ?? false
}
