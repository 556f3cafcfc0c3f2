import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { apiRequest } from './api-request.ts'
import { createControlPlane } from './control-plane.ts'
import { type CommandResult, execute } from './execute.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { makeOwnFolder } from './own-folder.ts'
import { removeAbandoned } from './remove-cluster.ts'
import type { Service } from './service.ts'

export type ApiServerOptions = {
  /** The folder of kubelite and etcd, as returned by `ensurePrograms`. */
  readonly bin: string
  /** The parent of the server's own folder; folders of killed predecessors are removed. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** True: runs kube-controller-manager too (garbage collection, namespaces, Deployments); no node runs the pods. */
  readonly controllers?: boolean
  readonly audit?: boolean
  /** Further flags of kube-apiserver: `--min-request-timeout=5`, `--max-mutating-requests-inflight=1`. */
  readonly flags?: readonly string[]
}

/** A real API server on 127.0.0.1 with its own etcd and no node. */
export type ApiServer = {
  readonly url: string
  /** The path of the administrator's kubeconfig (system:masters). */
  readonly kubeconfig: string
  readonly token: string
  /** The certificate authority in PEM. */
  readonly authority: string
  /** The path of the audit log, one JSON line per call. */
  readonly auditLog: string | undefined
  /** The single programs, to stop, kill, hold (SIGSTOP, SIGCONT) and restart. */
  readonly apiServer: Service
  readonly etcd: Service
  readonly controllers: Service
  /** Makes a client certificate for a user; returns the path of a kubeconfig with it. */
  createUser(name: string, groups?: readonly string[]): Promise<string>
  /** Makes a token of an existing service account, valid for one hour. */
  createServiceAccountToken(namespace: string, name: string): Promise<string>
  /** Makes a token of a service account; returns the path of a kubeconfig with it. */
  createServiceAccountKubeconfig(namespace: string, name: string): Promise<string>
  /** Runs kubectl as administrator; never rejects. */
  kubectl(args: readonly string[], input?: string): Promise<CommandResult>
  /** Removes all past revisions from etcd. An old resourceVersion outside the watch cache then answers 410. */
  compact(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  await removeAbandoned(options.folder)
  const folder = makeOwnFolder(options.folder, 'api-server')
  const [api = 0, etcd = 0, peer = 0] = await freePorts(3)
  const plane = await createControlPlane({
    bin: options.bin,
    folder,
    listen: '127.0.0.1',
    advertise: '127.0.0.1',
    ports: { api, etcd, peer },
    controllers: options.controllers ?? false,
    audit: options.audit ?? false,
    flags: options.flags ?? [],
    environment: { PATH: options.environment.PATH, HOME: folder },
  })
  const started = [plane.etcd, plane.apiServer, ...(options.controllers === true ? [plane.controllers] : [])]
  const close = async (): Promise<void> => {
    await Promise.all(started.map((service) => service.kill('SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const service of started) await service.start()
  } catch (error) {
    await close()
    throw error
  }

  const { access, certificates } = plane
  const kubeconfigOf = (name: string, credentials: Parameters<typeof writeKubeconfig>[1]['credentials']): string =>
    writeKubeconfig(join(folder, `${name}.kubeconfig`), {
      url: access.url,
      authority: certificates.authority.certificate,
      credentials,
    })
  const createServiceAccountToken = async (namespace: string, name: string): Promise<string> => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
    const { status, body } = await apiRequest(access, path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    if (status !== 201) throw new Error(`no token of ${namespace}/${name}: ${body}`)
    return JSON.parse(body).status.token
  }
  return {
    url: access.url,
    kubeconfig: plane.kubeconfig,
    token: access.token,
    authority: access.authority,
    auditLog: plane.auditLog,
    apiServer: plane.apiServer,
    etcd: plane.etcd,
    controllers: plane.controllers,
    createUser: async (name, groups = []) => {
      const pair = await certificates.issueClient(name, groups)
      return kubeconfigOf(pair.certificate.slice(pair.certificate.lastIndexOf('/') + 1, -'.crt'.length), pair)
    },
    createServiceAccountToken,
    createServiceAccountKubeconfig: async (namespace, name) => {
      const token = await createServiceAccountToken(namespace, name)
      return kubeconfigOf(`service-account-${namespace}-${name}`, { token })
    },
    kubectl: (args, input = '') =>
      execute([join(options.bin, 'kubectl'), ...args], {
        input,
        environment: { PATH: options.environment.PATH, KUBECONFIG: plane.kubeconfig, HOME: folder },
      }),
    compact: () => compactEtcd(etcd),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Removes all revisions but the last from etcd. */
async function compactEtcd(port: number): Promise<void> {
  const base = `http://127.0.0.1:${port}/v3/kv`
  const range = await post(`${base}/range`, { key: Buffer.from('/').toString('base64') })
  await post(`${base}/compaction`, { revision: range.header.revision, physical: true })
}

async function post(url: string, body: Readonly<Record<string, unknown>>) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`)
  return JSON.parse(await answer.text())
}

/** Returns different ports of 127.0.0.1 that were free a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  // All ports are held until the last is found, so the kernel can't give the same port twice.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no TCP address')
    return address.port
  })
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
