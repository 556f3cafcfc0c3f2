import { readFile } from 'node:fs/promises'
import { type KubeAccess, readKubeconfig, serviceAccountAccess } from '@llm-gateway/kube'

export type ClusterAccessOptions = {
  /** undefined means the cluster of this pod, with the rights of its service account. */
  readonly kubeconfig: string | undefined
  readonly environment: { readonly KUBERNETES_SERVICE_HOST?: string; readonly KUBERNETES_SERVICE_PORT?: string }
}

/**
 * Returns the access to the API server. Refuses kubeconfigs with a plugin or a proxy: only the full Kubernetes client
 * supports these, and that client is as large as this program.
 */
export async function clusterAccess({ kubeconfig, environment }: ClusterAccessOptions): Promise<KubeAccess> {
  if (kubeconfig === undefined) return serviceAccountAccess(environment)
  const access = await readKubeconfig(kubeconfig, await readFile(kubeconfig, 'utf8'))
  if (access === undefined) throw new Error('the web interface supports no kubeconfig that needs a plugin or a proxy')
  return access
}
