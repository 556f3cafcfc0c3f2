import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '@llm-gateway/conf'
import { createKubeClient, createTransport, type KubeClient, loadKubeAccess } from '@llm-gateway/kube'
import { type ApiServer, startApiServer } from '@llm-gateway/test/fake/api-server'
import { readAuditLog } from '@llm-gateway/test/fake/audit-log'
import { installCrds } from '@llm-gateway/test/fake/install-crds'
import type { WatchTimings } from '../kube/cluster-state.ts'
import { FIELD_MANAGER } from '../model/names.ts'
import { type Operator, startOperator } from '../operator.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The namespace in the shipped files. */
const NAMESPACE = 'llm-gateway-system'
const NAME = 'llm-gateway-operator'

export type OperatorScene = {
  readonly server: ApiServer
  /** Lines of the operator's log. */
  readonly lines: string[]
  /** A kubeconfig with the operator's rights and no others. */
  readonly kubeconfig: string
  start(): Promise<Operator>
  /** Runs kubectl as administrator; fails with its errors. */
  kubectl(args: readonly string[], input?: object): Promise<string>
  /** Runs kubectl in namespace `llm`. */
  inNamespace(...args: readonly string[]): Promise<string>
  /** Looks for `kind/name` in namespace `llm`. */
  isThere(what: string): Promise<boolean>
  apply(object: object): Promise<void>
  /** Returns an object as kubectl shows it in JSON. */
  get(kind: string, name: string): Promise<ReturnType<typeof JSON.parse>>
  /** Makes a pod of a Deployment and its ReplicaSet, in place of their controllers. */
  makePod(deployment: string, pod: string): Promise<void>
  /** A client with the operator's rights. kubectl would need to read objects first. */
  readonly client: KubeClient
  /** Returns the operator's writes so far, as `verb resource/name`. */
  writes(): readonly string[]
  /** Returns the writes of an operator that is installed in another namespace. */
  writesOf(installedIn: string): readonly string[]
  until<T>(what: string, read: () => Promise<T | undefined>, patienceMs?: number): Promise<T>
  untilTrue(what: string, holds: () => Promise<boolean>): Promise<boolean>
  /**
   * Waits until the newest operator has had no work and written nothing for `quietMs`. Resolves with its writes since
   * the call.
   */
  quiet(quietMs: number): Promise<readonly string[]>
  close(): Promise<void>
}

/** A watch that failed for long is tried again every 30 s only. */
const PATIENCE_MS = 90_000
const POLL_MS = 50
/**
 * Polls within one quiet time. A pause of this process makes one poll late, and the next polls see the later writes.
 */
const LOOKS = 10
const BUSY = /^(workqueue_depth|controller_runtime_active_workers)\{.*\} [1-9]/m

export type SceneOptions = {
  /** True: the controllers of Kubernetes run. */
  readonly controllers?: boolean
  /** The namespaces that the operator watches; only `llm` exists. Empty: all. */
  readonly watchNamespaces?: readonly string[]
  /** Watched namespaces in which it has no rights. They need not exist. */
  readonly forbidden?: readonly string[]
  readonly watchTimings?: Partial<WatchTimings>
  /** The namespace in which the operator is installed. */
  readonly installedIn?: string
}

/** Starts a real API server with the shipped CRDs, RBAC and admission policies. The operator runs in this process. */
export async function startOperatorScene(options: SceneOptions = {}): Promise<OperatorScene> {
  const server = await startApiServer({ controllers: options.controllers ?? false, audit: true })
  try {
    return await sceneOn(server, options)
  } catch (error) {
    await server.close()
    throw error
  }
}

async function sceneOn(server: ApiServer, options: SceneOptions): Promise<OperatorScene> {
  const { watchNamespaces = [], forbidden = [], watchTimings = {}, installedIn = NAMESPACE } = options
  const lines: string[] = []
  const logger = createLogger({ service: 'operator', write: (line) => lines.push(line) })
  const kubectl = async (args: readonly string[], input?: object): Promise<string> => {
    const { code, stdout, stderr } = await server.kubectl(args, input === undefined ? undefined : JSON.stringify(input))
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  await installCrds(server)
  const deploy = join(ROOT, 'operator/deploy')
  const everywhere = watchNamespaces.length === 0 ? ['cluster-role.yaml'] : []
  const install = async (args: readonly string[], file: string): Promise<void> => {
    const text = readFileSync(join(deploy, file), 'utf8').replaceAll(NAMESPACE, installedIn)
    const { code, stderr } = await server.kubectl([...args, 'apply', '-f', '-'], text)
    if (code !== 0) throw new Error(`${file}: ${stderr}`)
  }
  for (const file of ['rbac.yaml', ...everywhere, 'admission.yaml']) await install([], file)
  await kubectl(['create', 'namespace', 'llm'])
  for (const namespace of watchNamespaces.filter((namespace) => !forbidden.includes(namespace)))
    await install(['-n', namespace], 'watch-namespaces/role.yaml')
  const kubeconfig = await server.createServiceAccountKubeconfig(installedIn, NAME)
  const transport = createTransport({ access: await loadKubeAccess(kubeconfig) })
  const writesOf = (namespace: string) => writesIn(readAuditLog(server.auditLog), namespace)
  const writes = () => writesOf(installedIn)
  let operator: Operator | undefined
  const isBusy = async () => operator !== undefined && BUSY.test(await operator.metrics.render())
  const inNamespace = (...args: readonly string[]) => kubectl(['-n', 'llm', ...args])
  const until: OperatorScene['until'] = async (what, read, patienceMs = PATIENCE_MS) => {
    const end = performance.now() + patienceMs
    for (;;) {
      const value = await read()
      if (value !== undefined) return value
      if (performance.now() > end) throw new Error(`not within ${patienceMs} ms: ${what}\n${lines.slice(-5).join('')}`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  // Rights take effect a moment after they are written, policies a second.
  const account = `--as=system:serviceaccount:${installedIn}:${NAME}`
  for (const right of [`create leases -n ${installedIn}`, 'list routers.llmgateway.io -n llm', 'create secrets -n llm'])
    await until(right, async () => {
      const { code } = await server.kubectl(['auth', 'can-i', ...right.split(' '), account])
      return code === 0 ? true : undefined
    })
  const forbiddenSecret = ['-n', 'llm', 'create', 'secret', 'generic', 'unlabelled', '--dry-run=server', account]
  await until('the admission policies', async () => {
    const { stderr } = await server.kubectl(forbiddenSecret)
    return stderr.includes('ValidatingAdmissionPolicy') ? true : undefined
  })
  return {
    server,
    client: createKubeClient(transport, FIELD_MANAGER),
    close: async () => {
      await transport.close()
      await server.close()
    },
    lines,
    kubeconfig,
    kubectl,
    start: async () => {
      const access = await loadKubeAccess(kubeconfig)
      operator = startOperator({
        access,
        podAccess: 'direct',
        gatewayClass: 'default',
        defaultImage: 'llm-gateway:test',
        operatorNamespace: installedIn,
        webReadRole: {
          kind: watchNamespaces.length === 0 ? 'ClusterRole' : 'Role',
          name: `llm-gateway-web-read.${installedIn}`,
        },
        logger,
        watchNamespaces,
        watchTimings,
      })
      return operator
    },
    apply: async (object) => {
      await kubectl(['apply', '-f', '-'], object)
    },
    makePod: async (deployment, pod) => {
      const { metadata, spec } = JSON.parse(await inNamespace('get', 'deployment', deployment, '-o', 'json'))
      const ownedBy = (kind: string, name: string, uid: string) => ({
        namespace: 'llm',
        labels: spec.template.metadata.labels,
        ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }],
      })
      const set = { name: `${deployment}-1`, ...ownedBy('Deployment', deployment, metadata.uid) }
      const { selector, template } = spec
      const ofSet = { replicas: 1, selector, template }
      await kubectl(['apply', '-f', '-'], { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: set, spec: ofSet })
      const { uid } = JSON.parse(await inNamespace('get', 'replicaset', set.name, '-o', 'json')).metadata
      const ofPod = { name: pod, ...ownedBy('ReplicaSet', set.name, uid) }
      await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Pod', metadata: ofPod, spec: spec.template.spec })
    },
    get: async (kind, name) => JSON.parse(await inNamespace('get', kind, name, '-o', 'json')),
    inNamespace,
    isThere: async (what) => (await inNamespace('get', what, '--ignore-not-found', '-o', 'name')) !== '',
    writes,
    writesOf,
    until,
    untilTrue: (what, holds) => until(what, async () => ((await holds()) ? true : undefined)),
    quiet: async (quietMs) => {
      const start = writes().length
      let count = start
      for (let looks = 0; looks < LOOKS; looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, quietMs / LOOKS))
        if ((await isBusy()) || count !== writes().length) looks = -1
        count = writes().length
      }
      return writes().slice(start)
    },
  }
}

function writesIn(auditLog: readonly string[], installedIn: string): readonly string[] {
  const user = `system:serviceaccount:${installedIn}:${NAME}`
  return (
    auditLog
      .filter((line) => line.includes(user))
      .map((line) => JSON.parse(line))
      // The operator's probe of the admission policies changes nothing.
      .filter(({ requestURI }) => !requestURI.includes('dryRun=All'))
      .filter(({ verb, user: { username } }) => username === user && !['get', 'list', 'watch'].includes(verb))
      .map(({ verb, objectRef: { resource, name, subresource } }) =>
        [verb, resource, name, subresource].filter((part) => part !== undefined).join(' '),
      )
  )
}
