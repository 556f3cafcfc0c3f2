import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import type { KubeAccess } from './kube-access.ts'

const READ_AGAIN_MS = 10_000

/**
 * Reads a kubeconfig with authentication plugins. The client library for these takes 90 MB, so it is loaded only here.
 */
export async function pluginAccess(file: string): Promise<KubeAccess> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromFile(file)
  const server = config.getCurrentCluster()?.server
  if (server === undefined) throw new Error('the kubeconfig names no cluster')
  const { ca, cert, key, servername, rejectUnauthorized } = await optionsOf(config)
  let current: { readonly header: string | undefined; readonly until: number } = { header: undefined, until: 0 }
  return {
    server,
    tls: { ca: pem(ca), cert: pem(cert), key: pem(key), servername, rejectUnauthorized },
    authorization: async () => {
      if (performance.now() < current.until) return current.header
      current = { header: headerOf(await optionsOf(config)), until: performance.now() + READ_AGAIN_MS }
      return current.header
    },
    refused: () => {
      current = { header: undefined, until: 0 }
    },
  }
}

async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  return options
}

function pem(value: unknown): string | undefined {
  return typeof value === 'string' || Buffer.isBuffer(value) ? String(value) : undefined
}

function headerOf({ headers }: RequestOptions): string | undefined {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(headers ?? {})
  const value = entries.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  return typeof value === 'string' ? value : undefined
}
