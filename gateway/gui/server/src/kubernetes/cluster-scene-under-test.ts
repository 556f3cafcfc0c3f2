import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@llm-gateway/conf'
import { API_VERSION } from '@llm-gateway/crds'
import { type Endpoint, type EndpointName, endpoints, failureSchema, failuresOf } from '@llm-gateway/gui-api'
import { type ApiServer, startApiServer } from '@llm-gateway/test/fake/api-server'
import { installCrds } from '@llm-gateway/test/fake/install-crds'
import { startInterface } from '../interface.ts'

const ROOT = join(import.meta.dirname, '../../../../..')

type Json = ReturnType<typeof JSON.parse>
export type ApiAnswer = { readonly status: number; readonly json: Json }

export type ClusterScene = AsyncDisposable & {
  readonly server: ApiServer
  readonly logs: readonly string[]
  /** A kubeconfig with the rights of the web interface's account. */
  readonly kubeconfig: string
  /** Runs kubectl as administrator. Rejects with kubectl's error output. */
  kubectl(args: readonly string[], input?: object): Promise<string>
  apply(...objects: readonly object[]): Promise<void>
  /** Binds a role to the account in a namespace. */
  bind(role: 'read' | 'edit', namespace: string): Promise<void>
  /** Asks an endpoint as a script and checks the answer against its schema. */
  ask(name: EndpointName, asked?: RequestParts): Promise<ApiAnswer>
  /** Requests a path without the secret. */
  open(
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }>
  /** Rewrites the key `kubernetes` of gui_config.json, as the kubelet does. */
  rewrite(kubernetes: object): Promise<void>
  restart(): Promise<void>
  /** Resident memory of the web interface's process in MB; needs `program`. */
  rss(): number
  until<T>(what: string, read: () => Promise<T | undefined>): Promise<T>
  /** Texts that no answer and no log line may contain. */
  readonly secrets: string[]
}

export type RequestParts = {
  readonly parameters?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
}

export type SceneOptions = {
  readonly mode?: 'ReadOnly' | 'Edit'
  readonly namespaces?: readonly string[]
  /** Additional flags of kube-apiserver. */
  readonly flags?: readonly string[]
  readonly audit?: boolean
  /** Runs the interface as a process of its own. */
  readonly program?: boolean
}

type Running = { readonly port: number | undefined; readonly pid: number | undefined; close(): Promise<void> }

/** The flags with which the operator starts the interface. */
const FLAGS = ['--max-semi-space-size=2', '--no-maglev', '--heap-growing-percent=50']
const WAIT_MS = 60_000
const POLL_MS = 50
const READ_ROLE = 'ClusterRole/llm-gateway-web-read.llm-gateway-system'
const GUI_SECRET = 'gui-secret-of-the-cluster-scene'
const NATS_TOKEN = 'nats-token-of-the-cluster-scene'

/**
 * Starts the web interface with a real API server, the shipped CRDs and roles, and the rights that the operator binds.
 */
export async function startClusterScene(options: SceneOptions = {}): Promise<ClusterScene> {
  const { mode = 'ReadOnly', namespaces = ['team-a'], flags = [], audit = false, program = false } = options
  const server = await startApiServer({ flags, audit })
  const folder = await mkdtemp(join(tmpdir(), 'gui-cluster-'))
  const logs: string[] = []
  const bodies: string[] = []
  const secrets = [GUI_SECRET, NATS_TOKEN]
  const kubectl = async (args: readonly string[], input?: object): Promise<string> => {
    const { code, stdout, stderr } = await server.kubectl(args, input === undefined ? undefined : JSON.stringify(input))
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const bind = async (role: 'read' | 'edit', namespace: string) => {
    const binding = [
      'create',
      'rolebinding',
      `main-web-${role}`,
      `--clusterrole=llm-gateway-web-${role}.llm-gateway-system`,
    ]
    await kubectl(['-n', namespace, ...binding, '--serviceaccount=llm:main-web'])
  }
  await installCrds(server)
  await kubectl(['apply', '-f', join(ROOT, 'operator/deploy/cluster-role.yaml')])
  for (const namespace of ['llm', 'team-a', 'team-b']) await kubectl(['create', 'namespace', namespace])
  await kubectl(['-n', 'llm', 'create', 'serviceaccount', 'main-web'])
  await bind('read', 'llm')
  const kubeconfig = await server.createServiceAccountKubeconfig('llm', 'main-web')
  const file = join(folder, 'gui_config.json')
  const rewrite = (kubernetes: object) =>
    writeFile(
      file,
      JSON.stringify({
        gui_port: 0,
        service_bus: { hostname: '127.0.0.1:1', token: '${NATS_TOKEN}' },
        kubernetes: { namespace: 'llm', gateway: 'main', mode, namespaces, read_role: READ_ROLE, ...kubernetes },
      }),
    )
  await rewrite({})
  await mkdir(join(folder, 'page'))
  await writeFile(join(folder, 'page/index.html'), '<html><meta property="csp-nonce" nonce="__CSP_NONCE__"></html>')
  const until: ClusterScene['until'] = async (what, read) => {
    const end = performance.now() + WAIT_MS
    for (;;) {
      const value = await read()
      if (value !== undefined) return value
      if (performance.now() > end) throw new Error(`not within ${WAIT_MS} ms: ${what}\n${logs.slice(-5).join('')}`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  const environment = { GUI_SECRET, NATS_TOKEN, KUBECONFIG: kubeconfig }
  const inProcess = async (): Promise<Running> => {
    const started = await startInterface({
      file,
      environment,
      logger: createLogger({ service: 'gui', write: (line) => logs.push(line) }),
      version: '0.0.0',
      places: { node: process.execPath, folders: [ROOT] },
      pageFolder: join(folder, 'page'),
      hostName: 'this-machine',
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
    })
    assert.ok(started, logs.join(''))
    return { port: started.port, pid: undefined, close: () => started.close() }
  }
  const asProgram = async (): Promise<Running> => {
    const child = spawn(process.execPath, [...FLAGS, join(ROOT, 'gateway/gui/server/src/main.ts'), '-o', file], {
      env: { ...environment, PATH: process.env.PATH, MALLOC_ARENA_MAX: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'exit')
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => logs.push(String(piece)))
    const port = await until('the port of the web interface', async () => {
      const [, found] = /"port":(\d+)/.exec(logs.join('')) ?? []
      return found === undefined ? undefined : Number(found)
    })
    return {
      port,
      pid: child.pid,
      close: async () => {
        child.kill('SIGTERM')
        await ended
      },
    }
  }
  const start = program ? asProgram : inProcess
  let running = await start()
  const fetched = async (path: string, init: RequestInit) => {
    const answer = await fetch(`http://127.0.0.1:${running.port}${path}`, init)
    const text = await answer.text()
    bodies.push(JSON.stringify([...answer.headers]) + text)
    return { status: answer.status, text }
  }
  await until('the edition is ready', async () => ((await fetched('/readyz', {})).status === 200 ? true : undefined))
  return {
    server,
    logs,
    kubeconfig,
    secrets,
    kubectl,
    bind,
    rewrite,
    until,
    apply: async (...objects) => {
      await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: objects })
    },
    ask: async (name, asked = {}) => {
      const endpoint: Endpoint = endpoints[name]
      const { status, text } = await fetched(addressOf(endpoint, asked), {
        method: endpoint.method,
        headers: {
          authorization: `Bearer ${GUI_SECRET}`,
          ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
      })
      const json: Json = JSON.parse(text)
      if (status < 400) endpoint.answer.parse(json)
      else assert.ok(failuresOf(endpoint).includes(failureSchema.parse(json).error.code), `${name}: ${text}`)
      return { status, json }
    },
    open: (path, headers = {}) => fetched(path, { headers }),
    restart: async () => {
      await running.close()
      running = await start()
    },
    rss: () => {
      const [, pages] = readFileSync(`/proc/${running.pid}/statm`, 'utf8').split(' ')
      return Math.round((Number(pages) * 4_096) / 1e6)
    },
    async [Symbol.asyncDispose]() {
      await running.close()
      await server.close()
      await rm(folder, { recursive: true, force: true })
      for (const secret of secrets)
        for (const text of [...bodies, ...logs])
          assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 2_000)}`)
    },
  }
}

function addressOf({ path }: Endpoint, { parameters = {}, query = {} }: RequestParts): string {
  const whole = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search === '' ? whole : `${whole}?${search}`
}

/** Returns an LLMGateway `main` in the namespace llm. */
export function gatewayManifest(spec: object = {}): object {
  return { apiVersion: API_VERSION, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' }, spec }
}

/** Returns a Router of that gateway. */
export function routerManifest(name: string, spec: object = {}, namespace = 'llm'): object {
  return {
    apiVersion: API_VERSION,
    kind: 'Router',
    metadata: { name, namespace },
    spec: {
      gatewayRef: { name: 'main', namespace: 'llm' },
      path: `/${name}/`,
      outbound: { url: 'https://res.example/' },
      ...spec,
    },
  }
}
