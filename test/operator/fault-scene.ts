import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeKubeconfig } from '../../tools/cluster/kubeconfig.ts'
import { type ApiServer, startApiServer } from '../fake/api-server.ts'
import { createAuthority } from '../fake/certificates.ts'
import { installCrds } from '../fake/install-crds.ts'
import type { Program } from '../fake/program.ts'
import { type Admin, createAdmin } from './admin.ts'
import { type ApiCall, isWrite } from './api-call.ts'
import { type ApiProxy, startApiProxy } from './api-proxy.ts'
import { startGatewayPods } from './gateway-pods.ts'
import { namespaceOf } from './mixed-set.ts'
import { type OperatorProcessOptions, startOperatorProcess } from './operator-process.ts'
import { until } from './wait.ts'

const ROOT = join(import.meta.dirname, '../..')
const SYSTEM = 'llm-gateway-system'
const OPERATOR = 'llm-gateway-operator'
/** The class of the shipped installation. Each other class has an installation and a namespace for its lease. */
export const DEFAULT_CLASS = 'default'
/** Lets the operator write Leases in all namespaces, as the shipped Role does in the installation's own. */
const LEASES = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'leases-of-other-installations' },
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'leases-of-other-installations' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'leases-of-other-installations' },
    subjects: [{ kind: 'ServiceAccount', name: OPERATOR, namespace: SYSTEM }],
  },
]

/** The operator's process and the proxy between it and the API server. */
export type ProxiedOperator = { readonly program: Program; readonly proxy: ApiProxy; readonly gatewayClass: string }

/** A real API server with its controllers and the shipped CRDs, RBAC and admission policies. */
export type FaultScene = {
  readonly server: ApiServer
  readonly admin: Admin
  /** Runs kubectl. Rejects with its error output. */
  kubectl(...args: readonly string[]): Promise<string>
  startProxy(): Promise<ApiProxy>
  /** Starts an operator with the shipped rights, behind a new proxy if none is given. */
  startOperator(gatewayClass: string, options?: StartOptions): Promise<ProxiedOperator>
  /** Sends SIGKILL. Held and running requests are lost. */
  kill(operator: ProxiedOperator): Promise<void>
  /** Sends SIGTERM. */
  stop(operator: ProxiedOperator): Promise<void>
  /** Removes the lease of a killed operator, which would last 15 s. */
  forgetLease(gatewayClass: string): Promise<void>
  /** Holds back all pods until the returned function is called. */
  freezePods(): () => void
  close(): Promise<void>
}

export type StartOptions = Pick<OperatorProcessOptions, 'leaderElect' | 'port'> & { readonly proxy?: ApiProxy }

export type FaultSceneOptions = {
  readonly audit?: boolean
  /** Adds no rights to the shipped rights; works for the class `default` only. */
  readonly exactRights?: boolean
}

export async function startFaultScene(options: FaultSceneOptions = {}): Promise<FaultScene> {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-faults-'))
  const [server, authority] = await Promise.all([
    startApiServer({ controllers: true, audit: options.audit ?? false }),
    createAuthority(),
  ])
  const admin = createAdmin(server)
  const certificate = await authority.issue('api-proxy')
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await server.kubectl(args)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  await installCrds(server)
  for (const file of ['rbac.yaml', 'cluster-role.yaml', 'admission.yaml'])
    await kubectl('apply', '-f', join(ROOT, 'operator/deploy', file))
  if (options.exactRights !== true) await admin.apply(...LEASES)
  // New rights take effect a moment later.
  const account = `--as=system:serviceaccount:${SYSTEM}:${OPERATOR}`
  for (const right of [
    ['create', 'leases', '-n', SYSTEM],
    ['list', 'routers.llmgateway.io'],
  ])
    await until(right.join(' '), async () => {
      const { code } = await server.kubectl(['auth', 'can-i', ...right, account])
      return code === 0 ? true : undefined
    })
  const token = await server.createServiceAccountToken(SYSTEM, OPERATOR)
  const pods = startGatewayPods(admin)
  const proxies = new Set<ApiProxy>()
  const programs = new Set<Program>()
  let count = 0

  const startProxy = async (): Promise<ApiProxy> => {
    const proxy = await startApiProxy({ server, certificate })
    proxy.add(pods.answer)
    proxies.add(proxy)
    return proxy
  }
  return {
    server,
    admin,
    kubectl,
    startProxy,
    startOperator: async (gatewayClass, options = {}) => {
      const { leaderElect, port, proxy = await startProxy() } = options
      count += 1
      const kubeconfig = writeKubeconfig(join(folder, `operator-${count}.kubeconfig`), {
        url: proxy.url,
        authority: authority.certificateFile,
        credentials: { token },
      })
      const namespace = gatewayClass === DEFAULT_CLASS ? undefined : leaseNamespace(gatewayClass)
      if (namespace !== undefined) await admin.apply(namespaceOf(namespace))
      const program = await startOperatorProcess({
        kubeconfig,
        gatewayClass,
        namespace,
        leaderElect,
        port,
        cache: join(folder, 'cache'),
      })
      programs.add(program)
      return { program, proxy, gatewayClass }
    },
    kill: async ({ program, proxy }) => {
      program.kill('SIGKILL')
      await program.exited
      await proxy.close()
    },
    stop: async ({ program, proxy }) => {
      // A proxy closed before the lease is returned would make the next operator wait.
      await program.stop(STOP_MS)
      await proxy.close()
    },
    forgetLease: async (gatewayClass) => {
      const namespace = gatewayClass === DEFAULT_CLASS ? SYSTEM : leaseNamespace(gatewayClass)
      for (const { metadata } of await admin.list('Lease', namespace))
        await admin.remove({ kind: 'Lease', namespace, name: metadata.name })
    },
    freezePods: pods.freeze,
    close: async () => {
      for (const program of programs) program.kill('SIGKILL')
      await Promise.all([...programs].map(({ exited }) => exited))
      await Promise.all([...proxies].map((proxy) => proxy.close()))
      await pods.close()
      admin.close()
      await Promise.all([server.close(), authority.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const LAST = 12
const STOP_MS = 60_000

function leaseNamespace(gatewayClass: string): string {
  return `lease-${gatewayClass}`
}

/** Returns an operator's writes into namespaces with this prefix. */
export function writesOf(
  { proxy }: ProxiedOperator,
  prefix = '',
): readonly { readonly call: ApiCall; readonly at: number }[] {
  return proxy.received.entries.filter(({ call }) => isWrite(call) && call.namespace.startsWith(prefix))
}

/** Returns an operator's requests without watches and leases, which go on at rest. */
export function requestsOf({ proxy }: ProxiedOperator): readonly { readonly call: ApiCall; readonly at: number }[] {
  return proxy.received.entries.filter(({ call }) => call.verb !== 'watch' && call.resource !== 'leases')
}

/** Returns the last lines and requests, for the message of a failed test. */
export function describeOperator({ program, proxy }: ProxiedOperator): string {
  const calls = proxy.received.entries.slice(-LAST).map(({ call, at }) => `${Math.round(at)} ${call.verb} ${call.path}`)
  return [...program.lines.entries.slice(-LAST), ...calls, `now ${Math.round(performance.now())}`].join('\n')
}
