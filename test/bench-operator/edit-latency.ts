import { type Percentiles, percentiles } from '../bench/percentiles.ts'
import { gatewayObject, namespaceObject, routerObject, UPSTREAM } from '../e2e/gateway-objects.ts'
import { type KubeScene, startKubeScene } from '../e2e/kube-scene.ts'
import { type PlanWithoutApi, runDriver } from './run-driver.ts'

const NS = 'bench'
const PODS = 3
const SECOND_MS = 1_000

/** Measures the time from an apply until the pods' own answers show the change. */
export async function measureEditLatency(environment: NodeJS.ProcessEnv): Promise<void> {
  await using scene = await startKubeScene(environment)
  await scene.apply(
    namespaceObject(NS),
    gatewayObject(NS, 'main', { replicas: PODS }),
    routerObject(NS, 'edited', {
      gatewayRef: { name: 'main' },
      path: '/edited/',
      outbound: { url: UPSTREAM, headers: { 'X-Serial': ['0'] } },
    }),
  )
  await scene.wait(['-n', NS, 'router/edited', 'llmgateway/main'], 'Programmed')
  await scene.wait(['-n', NS, 'llmgateway/main'], 'Ready', 120)
  await scene.kubectl(['-n', NS, 'rollout', 'status', 'deploy/main', '--timeout=120s'])
  const order = {
    kind: 'edits',
    router: `/apis/llmgateway.io/v1alpha1/namespaces/${NS}/routers/edited`,
    pods: await podUrls(scene),
  } as const

  const rare = await measure(scene, { ...order, edits: 40, everyMs: 3 * SECOND_MS })
  const { count, p50, p99, max } = rare.lags
  const shown = [p50, p99, max].map(Math.round).join(' / ')
  console.log(`40 edits 3 s apart, ${PODS} pods: p50 / p99 / max ${shown} ms, of ${count} edits`)
  const dense = await measure(scene, { ...order, edits: 20, everyMs: 100 })
  console.log(`20 edits within 2 s: in every pod ${Math.round(dense.lastLagMs)} ms after the last`)
}

type Measured = { readonly lags: Percentiles; readonly lastLagMs: number }

async function measure(scene: KubeScene, order: PlanWithoutApi): Promise<Measured> {
  const result = await runDriver(scene, order, 300 * SECOND_MS)
  const { lagsMs, lastLagMs } = JSON.parse(JSON.stringify(result))
  const list: readonly (number | null)[] = lagsMs
  return { lags: percentiles(list.filter((lag) => lag !== null)), lastLagMs }
}

async function podUrls(scene: KubeScene): Promise<readonly string[]> {
  const addresses = await scene.kubectl([
    '-n',
    NS,
    'get',
    'pods',
    '-l',
    'llmgateway.io/gateway=main',
    '-o',
    'jsonpath={.items[*].status.podIP}',
  ])
  return addresses.split(' ').map((address) => `http://${address}:5380/edited/`)
}
