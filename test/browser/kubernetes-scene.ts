import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram } from '@llm-gateway/test/fake/program'
import type { Admin } from '@llm-gateway/test/operator/admin'
import { startFaultScene } from '@llm-gateway/test/operator/fault-scene'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { buildPage } from '../../tools/gui/build-page.ts'
import { startBrowser } from './chromium.ts'
import { assertNoSecretInTraffic, createProblemWatch, SECRETS, waitForAnswer } from './scene.ts'
import { startTrafficScan } from './traffic-scan.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'gateway/gui/server/src/main.ts')
const API_VERSION = 'llmgateway.io/v1alpha1'
/** A key in a Router, not in a Secret. */
const LITERAL_KEY = 'literal-key-9d9d-browser'
const ROLES = { read: 'llm-gateway-web-read.llm-gateway-system', edit: 'llm-gateway-web-edit.llm-gateway-system' }

export type KubernetesScene = {
  /** The URL of a read-only web interface. */
  readonly readOnly: string
  /** The URL of a web interface in mode Edit, which may write only in team-a. */
  readonly edit: string
  readonly admin: Admin
  /** Runs kubectl as the cluster's administrator. Never rejects. */
  kubectl(
    args: readonly string[],
    input?: string,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  open(options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

/** Returns a scene for the tests of a file, or the reason to skip them. In CI no test is skipped. */
export async function kubernetesSceneForTests(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly scene: KubernetesScene | undefined; readonly skip: string | false }> {
  const missing = whyNoApiServer(environment)
  if (missing !== false) return { scene: undefined, skip: missing }
  const scene = await startScene(environment)
  if (typeof scene !== 'string') return { scene, skip: false }
  if ((environment.CI ?? '') !== '') throw new Error(`no browser: ${scene}`)
  return { scene: undefined, skip: scene }
}

/**
 * Starts a real API server with the shipped operator, two web interfaces with the shipped roles, and a real browser.
 */
async function startScene(environment: NodeJS.ProcessEnv): Promise<KubernetesScene | string> {
  const outputLines: string[] = []
  if (!(await buildPage({ root: ROOT, environment, say: (line) => outputLines.push(line) })))
    return outputLines.join('\n')
  const browser = await startBrowser(environment)
  if (typeof browser === 'string') return browser
  const [cluster, nats] = await Promise.all([
    startFaultScene({ exactRights: true }),
    startNatsServer({ jetstream: true, token: SECRETS.NATS_TOKEN }),
  ])
  const items = [...OBJECTS, ...RESOURCES]
  const applied = await cluster.server.kubectl(
    ['apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  )
  if (applied.code !== 0) throw new Error(applied.stderr)
  await cluster.startOperator('default')
  const folder = mkdtempSync(join(tmpdir(), 'gui-kubernetes-'))
  const account = await cluster.server.createServiceAccountKubeconfig('llm', 'main-web')
  const started = [
    await startInterface({ folder, account, bus: nats.address, mode: 'ReadOnly' }),
    await startInterface({ folder, account, bus: nats.address, mode: 'Edit' }),
  ] as const
  const seen = createProblemWatch()
  return {
    readOnly: started[0].url,
    edit: started[1].url,
    admin: cluster.admin,
    kubectl: (args, input) => cluster.server.kubectl(args, input),
    open: (options = {}) => seen.open(browser, options),
    close: async () => {
      await browser.close()
      await Promise.all(started.map(({ scan }) => scan.close()))
      await Promise.all(started.map(({ program }) => program.stop()))
      await Promise.all([cluster.close(), nats.close()])
      rmSync(folder, { recursive: true, force: true })
      seen.judge()
      for (const { scan } of started) assertNoSecretInTraffic(scan)
    },
  }
}

type InterfaceOptions = {
  readonly folder: string
  readonly account: string
  readonly bus: string
  readonly mode: 'ReadOnly' | 'Edit'
}

async function startInterface({ folder, account, bus, mode }: InterfaceOptions) {
  const port = await freePort()
  const file = join(folder, `${mode}.json`)
  const kubernetes = {
    namespace: 'llm',
    gateway: 'main',
    mode,
    namespaces: ['team-a', 'team-b'],
    read_role: `ClusterRole/${ROLES.read}`,
  }
  writeFileSync(
    file,
    JSON.stringify({ gui_port: port, service_bus: { hostname: bus, token: '${NATS_TOKEN}' }, kubernetes }),
  )
  const program = await startProgram({
    command: process.execPath,
    args: [MAIN, '-o', file],
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', KUBECONFIG: account, ...SECRETS },
  })
  await waitForAnswer(`http://127.0.0.1:${port}/login`)
  const scan = await startTrafficScan(port, { ...SECRETS, LITERAL_KEY })
  return { url: `http://127.0.0.1:${scan.port}`, program, scan }
}

function binding(namespace: string, what: 'read' | 'edit'): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: `main-web-${what}`, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLES[what] },
    subjects: [{ kind: 'ServiceAccount', name: 'main-web', namespace: 'llm' }],
  }
}

function router(namespace: string, name: string, spec: object): object {
  const gatewayRef = { name: 'main', namespace: 'llm' }
  return { apiVersion: API_VERSION, kind: 'Router', metadata: { name, namespace }, spec: { gatewayRef, ...spec } }
}

const OBJECTS = [
  ...['llm', 'team-a', 'team-b'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'main-web', namespace: 'llm' } },
  binding('llm', 'read'),
  binding('team-a', 'read'),
  binding('team-a', 'edit'),
  ...['llm', 'team-a'].map((namespace) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'callers', namespace },
    stringData: { key: SECRETS.GATEWAY_API_KEY },
  })),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'openai', namespace: 'team-a' },
    stringData: { key: SECRETS.AISERVICE_API_KEY },
  },
]

const RESOURCES = [
  {
    apiVersion: API_VERSION,
    kind: 'LLMGateway',
    metadata: { name: 'main', namespace: 'llm' },
    spec: { replicas: 1, allowedRouters: { namespaces: { from: 'All' } } },
  },
  router('llm', 'search', {
    path: '/search/',
    ingress: { headers: { 'Api-Key': ['${CALLER_KEY}'] } },
    outbound: { url: 'https://api.example.com/', headers: { 'Api-Key': [LITERAL_KEY] } },
    env: [{ name: 'CALLER_KEY', valueFrom: { secretKeyRef: { name: 'callers', key: 'key' } } }],
  }),
  router('team-a', 'broken', {
    path: '/team-a/broken/',
    outbound: { url: 'https://api.example.com/', headers: { Authorization: ['Bearer ${NOWHERE}'] } },
  }),
  router('team-b', 'unseen', { path: '/team-b/unseen/', outbound: { url: 'https://api.example.com/' } }),
  {
    apiVersion: API_VERSION,
    kind: 'Processor',
    metadata: { name: 'tokenizer', namespace: 'llm' },
    spec: { gatewayRef: { name: 'main' }, type: 'Tokenizer' },
  },
]
