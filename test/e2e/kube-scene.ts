import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../../tools/cluster/execute.ts'
import { type Cluster, startCluster } from '../fake/cluster.ts'
import { installCrds } from '../fake/install-crds.ts'
import { observerObjects } from './observer-manifest.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
export const IMAGE = `llm-gateway:${version}`
/** The observer's namespace, which has no object of the product. */
export const OBSERVER_NAMESPACE = 'observed'

/**
 * A cluster with the image and an observer and, if asked for, the CRDs and the operator, installed as a person would.
 */
export type KubeScene = {
  readonly cluster: Cluster
  /** Seconds that each part of the start took. */
  readonly phases: readonly (readonly [name: string, seconds: number])[]
  /** Runs kubectl. Rejects with its error output. */
  kubectl(args: readonly string[], input?: string): Promise<string>
  apply(...objects: readonly object[]): Promise<void>
  /** Runs `kubectl wait`. Rejects when time is up. */
  wait(what: readonly string[], condition: string, seconds?: number): Promise<void>
  /** Waits for the end of a Deployment's rollout. */
  rolledOut(namespace: string, deployment: string): Promise<void>
  /** Returns the observer's answer at a path. */
  observe(path: string): Promise<unknown>
  /** Ends the observer's load once it has made some calls. Returns its failures. */
  endLoad(): Promise<unknown>
  /** Polls `read` until it returns a value. */
  until<T>(what: string, read: () => Promise<T | undefined>, timeoutMs?: number): Promise<T>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a scene on a new cluster, or on the cluster of KUBECONFIG, where the image must be loaded already. */
export function startKubeScene(environment: NodeJS.ProcessEnv): Promise<KubeScene> {
  return startScene(environment, (scene) => scene.installOperator())
}

/** Like `startKubeScene`, without CRDs and operator. */
export function startBareScene(environment: NodeJS.ProcessEnv): Promise<KubeScene> {
  return startScene(environment, async () => undefined)
}

async function startScene(
  environment: NodeJS.ProcessEnv,
  install: (scene: Scene) => Promise<void>,
): Promise<KubeScene> {
  const phases: [string, number][] = []
  const measurePhase = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const value = await act()
    phases.push([name, (performance.now() - began) / 1000])
    return value
  }
  const [cluster, archive] = await Promise.all([
    measurePhase('cluster', () => startCluster(environment)),
    measurePhase('image', () => buildImage(environment)),
  ])
  const scene = new Scene(cluster, phases)
  try {
    await measurePhase('image into the cluster', () => cluster.loadImage(archive.file))
    await measurePhase('observer', () => scene.installObserver())
    await measurePhase('operator', () => install(scene))
    await scene.rolledOut(OBSERVER_NAMESPACE, 'observer')
  } catch (error) {
    await cluster.close()
    throw error
  } finally {
    archive.remove()
  }
  return scene
}

/** Builds the image and writes it to a file. */
async function buildImage(environment: NodeJS.ProcessEnv): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-image-'))
  const file = join(folder, 'image.tar')
  const argv = [process.execPath, join(ROOT, 'tools/image/main.ts'), '--out', file, '--name', IMAGE]
  const { code, stderr } = await execute(argv, { environment })
  if (code !== 0) throw new Error(`no image: ${stderr}`)
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const POLL_MS = 100
/** Below the two minutes after which `execute` kills kubectl. */
const WAIT_SECONDS = 115

class Scene implements KubeScene {
  readonly cluster: Cluster
  readonly phases: readonly (readonly [string, number])[]

  constructor(cluster: Cluster, phases: readonly (readonly [string, number])[]) {
    this.cluster = cluster
    this.phases = phases
  }

  async installObserver(): Promise<void> {
    await this.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: OBSERVER_NAMESPACE } })
    await this.apply(...observerObjects(OBSERVER_NAMESPACE, IMAGE))
  }

  async installOperator(): Promise<void> {
    await installCrds(this.cluster)
    await this.kubectl(['apply', '-f', join(ROOT, 'operator/deploy')])
    await this.rolledOut('llm-gateway-system', 'llm-gateway-operator')
  }

  async kubectl(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.cluster.kubectl(args, input)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  async apply(...objects: readonly object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects }
    await this.kubectl(['apply', '-f', '-'], JSON.stringify(list))
  }

  async rolledOut(namespace: string, deployment: string): Promise<void> {
    await this.kubectl(['-n', namespace, 'rollout', 'status', `deploy/${deployment}`, `--timeout=${WAIT_SECONDS}s`])
  }

  async wait(what: readonly string[], condition: string, seconds = WAIT_SECONDS): Promise<void> {
    await this.kubectl(['wait', ...what, `--for=condition=${condition}`, `--timeout=${seconds}s`])
  }

  async observe(path: string): Promise<unknown> {
    const proxy = `/api/v1/namespaces/${OBSERVER_NAMESPACE}/services/observer:8099/proxy`
    const text = await this.kubectl(['get', '--raw', `${proxy}${path}`])
    return text === 'started' ? text : JSON.parse(text)
  }

  async endLoad(): Promise<unknown> {
    await this.until('enough calls', async () =>
      loadOf(await this.observe('/load/result')).calls > 20 ? true : undefined,
    )
    return loadOf(await this.observe('/load/stop')).failed
  }

  async until<T>(what: string, read: () => Promise<T | undefined>, timeoutMs = 240_000): Promise<T> {
    const until = performance.now() + timeoutMs
    for (;;) {
      const value = await read()
      if (value !== undefined) return value
      if (performance.now() > until) throw new Error(`not within ${timeoutMs} ms: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  async close(): Promise<void> {
    await this.cluster.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function loadOf(result: unknown): { readonly calls: number; readonly failed: unknown } {
  return JSON.parse(JSON.stringify(result))
}
