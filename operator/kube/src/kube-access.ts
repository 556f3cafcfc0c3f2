import { readFileSync } from 'node:fs'
import { pluginAccess } from './plugin-access.ts'
import { readKubeconfig } from './read-kubeconfig.ts'
import { serviceAccountAccess } from './service-account-access.ts'

/** Where the API server is and how to get in. */
export type KubeAccess = {
  readonly server: string
  /** For the TLS connection; PEM texts. */
  readonly tls: KubeTls
  /** The Authorization header as it is now: tokens of service accounts are replaced while we run. */
  authorization(): Promise<string | undefined>
  /** The API server didn't know who we are: what is kept of the token is out of date. */
  refused(): void
}

export type KubeTls = {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly servername?: string | undefined
  readonly rejectUnauthorized?: boolean | undefined
}

export type ClusterEnvironment = {
  readonly KUBERNETES_SERVICE_HOST?: string
  readonly KUBERNETES_SERVICE_PORT?: string
}

/** The cluster that a kubeconfig names; without one the cluster that this pod runs in. */
export async function loadKubeAccess(
  file: string | undefined,
  environment: ClusterEnvironment = {},
): Promise<KubeAccess> {
  if (file === undefined) return serviceAccountAccess(environment)
  return (await readKubeconfig(file, readFileSync(file, 'utf8'))) ?? pluginAccess(file)
}
