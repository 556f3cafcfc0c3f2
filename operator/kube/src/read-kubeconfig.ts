import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { listAt, textAt, valueAt } from './json-value.ts'
import type { KubeAccess, KubeTls } from './kube-access.ts'
import { tokenFile } from './token-file.ts'

/** Reads the current context of a kubeconfig; undefined: it needs a plugin or a proxy. */
export async function readKubeconfig(file: string, text: string): Promise<KubeAccess | undefined> {
  const { parse } = await import('yaml')
  const config: unknown = parse(text)
  const context = named(config, 'contexts', textAt(config, 'current-context'), 'context')
  const cluster = named(config, 'clusters', textAt(context, 'cluster'), 'cluster')
  const user = named(config, 'users', textAt(context, 'user'), 'user')
  const server = textAt(cluster, 'server')
  if (server === undefined) throw new Error('the kubeconfig names no cluster')
  if (['exec', 'auth-provider', 'username', 'as'].some((key) => valueAt(user, key) !== undefined)) return undefined
  if (valueAt(cluster, 'proxy-url') !== undefined) return undefined
  const token = textAt(user, 'token')
  const path = textAt(user, 'tokenFile')
  const fromFile = path === undefined ? undefined : tokenFile(resolve(dirname(file), path))
  const header = token === undefined || token === '' ? undefined : `Bearer ${token}`
  return {
    server,
    tls: tlsOf(cluster, user, file),
    authorization: fromFile?.authorization ?? (async () => header),
    refused: () => fromFile?.refused(),
  }
}

/** Finds a member by name in a list of `{name, <kind>: …}`. */
function named(config: unknown, list: string, name: string | undefined, kind: string): unknown {
  return valueAt(
    listAt(config, list).find((entry) => textAt(entry, 'name') === name),
    kind,
  )
}

function tlsOf(cluster: unknown, user: unknown, file: string): KubeTls {
  const pem = (owner: unknown, name: string): string | undefined => {
    const encoded = textAt(owner, `${name}-data`)
    if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString()
    const path = textAt(owner, name)
    return path === undefined ? undefined : readFileSync(resolve(dirname(file), path), 'utf8')
  }
  return {
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    servername: textAt(cluster, 'tls-server-name'),
    rejectUnauthorized: valueAt(cluster, 'insecure-skip-tls-verify') === true ? false : undefined,
  }
}
