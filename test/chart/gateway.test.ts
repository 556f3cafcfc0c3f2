import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Program } from '../fake/program.ts'
import { until } from '../operator/wait.ts'
import { CHART, type ChartScene, startChartScene, whyNoChartScene } from './chart-scene.ts'

const SYSTEM = 'platform-llm'
const NAMED = ['gw', CHART, '-n', SYSTEM, '--set', 'crds.apply=false', '--timeout', '90s']

describe('a gateway described by chart values', { skip: whyNoChartScene(process.env) }, () => {
  let scene: ChartScene
  let operator: Program
  before(async () => {
    scene = await startChartScene()
    await scene.helm(['install', ...NAMED, '--create-namespace', '--set', 'demo.enabled=true'])
    operator = await scene.startOperator(SYSTEM, 'gw-llm-gateway-operator')
  })
  after(() => scene?.close())

  const json = async (...args: readonly string[]) =>
    JSON.parse(await scene.kubectl(['-n', SYSTEM, 'get', ...args, '-o', 'json']))
  const isTrue = (what: string, type: string): Promise<string> =>
    scene.kubectl(['-n', SYSTEM, 'wait', what, `--for=condition=${type}`, '--timeout=90s'])
  const replicas = async (): Promise<number> => (await json('llmgateway', 'main')).spec.replicas
  /** Scales like an autoscaler. */
  const scale = (count: number): Promise<string> =>
    scene.kubectl(['-n', SYSTEM, 'scale', 'llmgateway', 'main', `--replicas=${count}`])

  test('demo.enabled makes a gateway whose Router calls the demo LLM', async () => {
    await isTrue('router/standard', 'Programmed')
    const { data } = await json('configmap', 'main-config')
    const { routers } = JSON.parse(data['gl_config.json'])
    const address = 'http://gw-llm-gateway-demo-llm.platform-llm.svc:8080'
    const paths = routers.map(({ path, disabled }: { path: string; disabled?: boolean }) => [path, disabled])
    assert.deepEqual(paths, [['/service/standard/', undefined]])
    const [{ spec }] = [await json('llmgateway', 'main')]
    assert.deepEqual(
      spec.sharedEnv.map(({ name, value }: { name: string; value: string }) => [name, value]),
      [['AISERVICE_API_BASE', address]],
    )
    const service = await json('service', 'gw-llm-gateway-demo-llm')
    const deployment = await json('deployment', 'gw-llm-gateway-demo-llm')
    assert.deepEqual(service.spec.selector, deployment.spec.selector.matchLabels)
  })

  test('an upgrade of a scaled gateway causes no conflict and keeps its pods', async () => {
    await scale(4)
    const more = ['--set', 'demo.enabled=true,gateway.annotations.a=b']
    await scene.helm(['upgrade', ...NAMED, ...more])
    assert.equal(await replicas(), 4)
    assert.equal((await json('llmgateway', 'main')).metadata.annotations.a, 'b')
    await scene.helm(['upgrade', ...NAMED, ...more, '--set', 'gateway.autoscaling.enabled=true'])
    await scale(5)
    await scene.helm([
      'upgrade',
      ...NAMED,
      ...more,
      '--set',
      'gateway.autoscaling.enabled=true,gateway.annotations.a=c',
    ])
    assert.equal(await replicas(), 5)
    await scene.helm(['rollback', 'gw', '1', '-n', SYSTEM])
    assert.equal(await replicas(), 5)
  })

  test('with the restricted Router pattern the real key is swapped in and the Router is Programmed', async () => {
    const values =
      'aiServiceApiBase=https://res.example/,aiServiceApiKey=real,gatewayApiKey=callers,natsToken=bus-token'
    await scene.helm(['upgrade', ...NAMED, '--set', `gateway.enabled=true,${values}`])
    await isTrue('router/restricted', 'Programmed')
    const config = JSON.parse((await json('configmap', 'main-config')).data['gl_config.json'])
    const restricted = config.routers.find(({ path }: { path: string }) => path === '/restricted/')
    const swapped = [restricted.ingress.headers['Api-Key'], restricted.outbound.headers['Api-Key']].flat()
    for (const value of swapped) assert.match(value, /^\$\{V_[0-9a-f]{16}\}$/)
    assert.notEqual(swapped[0], swapped[1])
    const secret = (await json('secret', 'main-values')).data
    const [asked, sent] = swapped.map((value) => Buffer.from(secret[value.slice(2, -1)], 'base64').toString())
    assert.deepEqual([asked, sent], ['callers', 'real'])
    // A Router is programmed by the running pods; the bus follows when the operator has read the new Secret.
    const token = { key: 'NATS_TOKEN', name: 'gw-llm-gateway-nats-token' }
    await until('the bus with the token of the values', async () => {
      const bus = JSON.stringify(await json('statefulset', 'main-bus'))
      return bus.includes(`"secretKeyRef":${JSON.stringify(token)}`) ? true : undefined
    })
  })

  test('after uninstall the gateway and its objects are gone, and a Router that a person made stays', async () => {
    const spec = { gatewayRef: { name: 'main' }, path: '/mine/', outbound: { url: 'https://res.example/' } }
    const metadata = { name: 'mine', namespace: SYSTEM }
    await scene.admin.apply({ apiVersion: 'llmgateway.io/v1alpha1', kind: 'Router', metadata, spec })
    await scene.helm(['uninstall', 'gw', '-n', SYSTEM, '--timeout', '90s'])
    const left = async (): Promise<readonly string[]> => {
      const kinds =
        'llmgateways,routers,processors,deployments,statefulsets,services,secrets,configmaps,networkpolicies,jobs'
      const found = (await scene.kubectl(['-n', SYSTEM, 'get', kinds, '-o', 'name'])).trim().split('\n')
      return found.filter((name) => name !== 'configmap/kube-root-ca.crt')
    }
    await until('only the Router', async () =>
      (await left()).join() === 'router.llmgateway.io/mine' ? true : undefined,
    ).catch(async (cause) => {
      throw new Error(`${await left()}`, { cause })
    })
    await operator.stop()
  })
})
