import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeAccess } from './kube-access.ts'
import { pluginAccess } from './plugin-access.ts'
import { readKubeconfig } from './read-kubeconfig.ts'
import { tokenFile } from './token-file.ts'

export type ClusterEnvironment = {
  readonly KUBERNETES_SERVICE_HOST?: string
  readonly KUBERNETES_SERVICE_PORT?: string
}

/** Returns the access to a kubeconfig's cluster; without a file, to the cluster of this pod. */
export async function loadKubeAccess(
  file: string | undefined,
  environment: ClusterEnvironment = {},
): Promise<KubeAccess> {
  if (file === undefined) return serviceAccountAccess(environment)
  return (await readKubeconfig(file, readFileSync(file, 'utf8'))) ?? pluginAccess(file)
}

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Returns the access to the cluster of this pod, with the rights of its service account. */
export function serviceAccountAccess(environment: ClusterEnvironment, folder = FOLDER): KubeAccess {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment
  if (host === undefined) throw new Error('not in a cluster: --kubeconfig FILE is missing')
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(join(folder, 'ca.crt'), 'utf8') },
    ...tokenFile(join(folder, 'token')),
  }
}
