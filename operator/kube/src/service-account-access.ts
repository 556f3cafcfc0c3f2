import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClusterEnvironment, KubeAccess } from './kube-access.ts'
import { tokenFile } from './token-file.ts'

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster that this pod runs in, with the rights of its service account. */
export function serviceAccountAccess(environment: ClusterEnvironment, folder = FOLDER): KubeAccess {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment
  if (host === undefined) throw new Error('not in a cluster: --kubeconfig FILE is missing')
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(join(folder, 'ca.crt'), 'utf8') },
    ...tokenFile(join(folder, 'token')),
  }
}
