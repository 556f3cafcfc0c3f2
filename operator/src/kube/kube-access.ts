import type { RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'

/** Where the API server is and how to get in. */
export type KubeAccess = {
  readonly server: string
  /** For the TLS connection. */
  readonly tls: Readonly<Record<string, unknown>>
  /** The Authorization header as it is now: tokens of service accounts are replaced while we run. */
  authorization(): Promise<string | undefined>
}

const READ_AGAIN_MS = 10_000

/** The cluster that a kubeconfig names; without one the cluster that this pod runs in. */
export async function loadKubeAccess(file: string | undefined): Promise<KubeAccess> {
  const config = new KubeConfig()
  if (file === undefined) config.loadFromCluster()
  else config.loadFromFile(file)
  const server = config.getCurrentCluster()?.server
  if (server === undefined) throw new Error('the kubeconfig names no cluster')
  const { ca, cert, key, servername, rejectUnauthorized } = await optionsOf(config)
  let current: { readonly header: string | undefined; readonly until: number } = { header: undefined, until: 0 }
  return {
    server,
    tls: { ca, cert, key, servername, rejectUnauthorized },
    authorization: async () => {
      if (performance.now() < current.until) return current.header
      current = { header: headerOf(await optionsOf(config)), until: performance.now() + READ_AGAIN_MS }
      return current.header
    },
  }
}

async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  return options
}

function headerOf({ headers }: RequestOptions): string | undefined {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(headers ?? {})
  const value = entries.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  return typeof value === 'string' ? value : undefined
}
