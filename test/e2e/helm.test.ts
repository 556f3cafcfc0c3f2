import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runHelm, whyNoHelm } from '../../tools/helm/helm.ts'
import { previousCheckout } from '../../tools/previous/previous-checkout.ts'
import { previousImage } from '../../tools/previous/previous-image.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { processorObject, routerObject, secretObject, UPSTREAM } from './gateway-objects.ts'
import { IMAGE, type KubeScene, startBareScene } from './kube-scene.ts'
import { killPod, type Pod, podsOf } from './pods.ts'
import { type Calls, type SteadyLoad, startSteadyLoad } from './steady-load.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = join(ROOT, 'charts/llm-gateway')
const SYSTEM = 'platform-llm'
const PREVIOUS = 'llm-gateway:previous'
const HELM_MS = 300_000
const WAIT = ['--wait', '--timeout', '4m']
const GATEWAY = 'llmgateway.io/gateway=main'
const OPERATOR = 'app.kubernetes.io/name=llm-gateway-operator'
const BUS = 'llmgateway.io/bus=main'
const KINDS = 'all,llmgateways,routers,processors,secrets,configmaps,networkpolicies,leases'
/** The observer's outcomes for a broken or refused connection, as opposed to an HTTP status. */
const CONNECTION_FAILURE = /^(fetch failed: (ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)|terminated)/

const skip = whyNoCluster(process.env) || (process.env.CI === 'true' ? false : (whyNoHelm(ROOT) ?? false))

describe(`helm in ${SYSTEM}, a namespace that admits restricted pods only`, { skip }, () => {
  let scene: KubeScene
  let load: SteadyLoad | undefined
  /** Calls that failed because a gateway was killed. */
  let failedByKill: Calls['failed'] = {}
  before(async () => {
    scene = await startBareScene(process.env)
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM, labels } })
  })
  after(() => scene?.close())

  const kubectl = (...args: readonly string[]) => scene.kubectl(['-n', SYSTEM, ...args])
  const helm = async (args: readonly string[], input = ''): Promise<string> => {
    const { kubeconfig, inside } = scene.cluster
    const options = { kubeconfig, inside, input, timeoutMs: HELM_MS }
    const { code, stdout, stderr } = await runHelm(ROOT, [...args, '-n', SYSTEM], options)
    const pods = code === 0 ? '' : await kubectl('get', 'pods,events')
    assert.equal(code, 0, `helm ${args.join(' ')}: ${stderr}${pods}`)
    return stdout
  }
  const uninstall = async (left: readonly string[]): Promise<void> => {
    await helm(['uninstall', 'gw', ...WAIT])
    let found: readonly string[] = []
    const all = [...left, 'configmap/kube-root-ca.crt']
    await scene.until(`${all.join()} alone`, async () => {
      found = (await kubectl('get', KINDS, '-o', 'name')).trim().split('\n')
      return found.length <= all.length ? true : undefined
    })
    assert.deepEqual(found.toSorted(), all.toSorted())
    assert.match(await kubectl('get', 'crds', '-o', 'name'), /routers\.llmgateway\.io/)
  }
  /** Waits until exactly `count` pods match, all Ready and accepted by `is`; draining pods don't count. */
  const untilPods = (selector: string, count: number, is: (pod: Pod) => boolean): Promise<readonly Pod[]> =>
    scene.until(`${count} pods of ${selector}`, async () => {
      const pods = await podsOf(scene, SYSTEM, selector)
      return pods.length === count && pods.every((pod) => pod.isReady && is(pod)) ? pods : undefined
    })
  const scale = async (replicas: number): Promise<void> => {
    await kubectl('scale', 'llmgateway/main', `--replicas=${replicas}`)
    await untilPods(GATEWAY, replicas, () => true)
  }
  const untilRolledOut = async (image: string): Promise<void> => {
    await untilPods(OPERATOR, 2, (pod) => pod.image === image)
    await untilPods(GATEWAY, 2, (pod) => pod.image === image)
    await untilPods(BUS, 1, (pod) => pod.image === image)
  }
  const runningLoad = (): SteadyLoad => {
    assert.ok(load !== undefined, 'there is no load: an earlier test failed')
    return load
  }

  test('a first install applies the CRDs by the Job, starts the demo and passes helm test', async () => {
    const began = performance.now()
    await helm(['install', 'gw', CHART, '--set', 'demo.enabled=true', ...WAIT])
    await scene.wait(['-n', SYSTEM, 'llmgateway/main'], 'Ready')
    const testRun = await helm(['test', 'gw', '--logs', '--timeout', '4m'])
    assert.match(testRun, /chat\/completions: 200 .*This is a demo answer/)
    console.log(`first answer after ${Math.round((performance.now() - began) / 1000)} s`)
    await uninstall([])
  })

  test('the previous version with its own CRDs answers 100 calls a second', async () => {
    const [checkout, image] = [await previousCheckout(ROOT, process.env), await previousImage(ROOT, process.env)]
    assert.ok(checkout.kind === 'ready', JSON.stringify(checkout))
    assert.ok(image.kind === 'ready', JSON.stringify(image))
    await scene.cluster.loadImage(image.path)
    await kubectl(
      'delete',
      'crds',
      '--wait',
      ...['llmgateways', 'routers', 'processors'].map((kind) => `${kind}.llmgateway.io`),
    )
    await kubectl('apply', '-f', join(checkout.folder, 'crds/manifests'))
    await scene.apply(secretObject(SYSTEM, 'key-of-people', { key: 'rotated-1' }))
    const values = { image: { tag: 'previous' }, gateway: { enabled: true }, routers: { loaded: LOADED } }
    await helm(
      ['install', 'gw', CHART, '--skip-crds', '--set', 'crds.apply=false', ...WAIT, '-f', '-'],
      JSON.stringify(values),
    )
    await scene.apply(routerOfPeople('1'))
    await scene.wait(['-n', SYSTEM, 'router/loaded', 'router/of-people'], 'Programmed')
    await untilRolledOut(PREVIOUS)
    load = await startSteadyLoad(scene, 'service', { url: `http://main.${SYSTEM}.svc:5380/loaded/` })
  })

  test('an upgrade, a rollback and another upgrade restart operator, bus and gateways without a failed call', async () => {
    const upgrade = async (): Promise<void> => {
      await helm(['upgrade', 'gw', CHART, '--reset-then-reuse-values', '--set', 'image.tag=,crds.apply=true', ...WAIT])
      await untilRolledOut(IMAGE)
    }
    await runningLoad().unharmedBy('upgrade', upgrade)
    await runningLoad().unharmedBy('rollback', async () => {
      await helm(['rollback', 'gw', '1', ...WAIT])
      await untilRolledOut(PREVIOUS)
    })
    await runningLoad().unharmedBy('upgrade after a rollback', upgrade)
  })

  test('no call fails during scaling, an eviction, a rolling restart and a key rotation', async () => {
    await runningLoad().unharmedBy('scale 2 → 1', () => scale(1))
    await runningLoad().unharmedBy('scale 1 → 3', () => scale(3))
    await runningLoad().unharmedBy('scale 3 → 1', () => scale(1))
    await runningLoad().unharmedBy('scale 1 → 2', () => scale(2))
    await runningLoad().unharmedBy('evict a pod', async () => {
      const [first] = await podsOf(scene, SYSTEM, GATEWAY)
      assert.ok(first !== undefined)
      const metadata = { name: first.name, namespace: SYSTEM }
      const path = `/api/v1/namespaces/${SYSTEM}/pods/${first.name}/eviction`
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata }
      await scene.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction))
      await untilPods(GATEWAY, 2, (pod) => pod.uid !== first.uid)
    })
    await runningLoad().unharmedBy('rolling restart', async () => {
      const old = (await podsOf(scene, SYSTEM, GATEWAY)).map(({ uid }) => uid)
      await kubectl('rollout', 'restart', 'deployment/main')
      await untilPods(GATEWAY, 2, (pod) => !old.includes(pod.uid))
    })
    await runningLoad().unharmedBy('rotate a key', async () => {
      await scene.apply(secretObject(SYSTEM, 'key-of-people', { key: 'rotated-2' }))
      await scene.until('calls with the new key alone', async () => {
        const seen: unknown = await scene.observe('/seen')
        const keys = Array.isArray(seen) ? seen.slice(-100).map(({ key }) => key) : []
        return keys.length === 100 && keys.every((key) => key === 'Bearer rotated-2') ? true : undefined
      })
    })
  })

  const foreign = process.env.KUBECONFIG ? 'nothing is killed in a cluster of somebody else' : false
  test('kill -9 of operators and bus fails no call; kill -9 of a gateway fails only the calls of that pod', {
    skip: foreign,
  }, async () => {
    const untilRevived = (selector: string, killed: readonly Pod[]) =>
      untilPods(selector, killed.length, ({ uid, restarts }) =>
        killed.some((before) => before.uid === uid && restarts > before.restarts),
      )
    await runningLoad().unharmedBy('kill -9 of both operators', async () => {
      const operators = await podsOf(scene, SYSTEM, OPERATOR)
      await Promise.all(operators.map((pod) => killPod(scene, pod)))
      await untilRevived(OPERATOR, operators)
      await scene.apply(routerOfPeople('2'))
      await scene.wait(['-n', SYSTEM, 'router/of-people'], 'Programmed')
    })
    await scene.apply(requiredByPeople)
    await scene.wait(['-n', SYSTEM, 'processor/required'], 'Ready')
    await scene.wait(['-n', SYSTEM, 'processor/required', 'llmgateway/main'], 'Programmed')
    const processed = await startSteadyLoad(scene, 'processed', {
      url: `http://main.${SYSTEM}.svc:5380/of-people/`,
      rate: 50,
    })
    const { failed: refused } = await processed.during('kill -9 of the bus, calls with a required processor', () =>
      runningLoad().unharmedBy('kill -9 of the bus, calls without', async () => {
        const bus = await podsOf(scene, SYSTEM, BUS)
        await Promise.all(bus.map((pod) => killPod(scene, pod)))
        await untilRevived(BUS, bus)
      }),
    )
    for (const outcome of Object.keys(refused)) assert.equal(outcome, '503 PROCESSOR_REQUIRED')
    await scene.until('calls with a required processor work again', async () => {
      const later = await processed.during('afterwards, calls with a required processor', async () => undefined)
      return Object.keys(later.failed).length === 0 ? true : undefined
    })
    await processed.end()
    const [victim, other] = await podsOf(scene, SYSTEM, GATEWAY)
    assert.ok(victim !== undefined && other !== undefined)
    const direct = await startSteadyLoad(scene, 'other', { url: `http://${other.address}:5380/loaded/`, rate: 20 })
    const { failed } = await runningLoad().during('kill -9 of a gateway', async () => {
      await killPod(scene, victim)
      await scene.until('the gateway is back', async () => {
        const pods = await podsOf(scene, SYSTEM, GATEWAY)
        return pods.some(({ uid, restarts, isReady }) => uid === victim.uid && restarts > victim.restarts && isReady)
          ? true
          : undefined
      })
    })
    failedByKill = failed
    for (const outcome of Object.keys(failed)) assert.match(outcome, CONNECTION_FAILURE)
    assert.deepEqual((await direct.end()).failed, {}, 'the other gateway fails no call')
    await runningLoad().unharmedBy('afterwards', async () => undefined)
  })

  test('uninstall leaves the CRDs and the resources of people', async () => {
    const { calls, failed } = await runningLoad().end()
    console.log(`${calls} calls in all`)
    assert.deepEqual(failed, failedByKill, 'no call failed between two steps either')
    const ofPeople = ['processor.llmgateway.io/required', 'router.llmgateway.io/of-people', 'secret/key-of-people']
    await uninstall(ofPeople)
  })
})

const LOADED = {
  path: '/loaded/',
  outbound: { url: UPSTREAM, headers: { Authorization: ['Bearer ${K}'], 'X-Serial': ['0'] } },
  env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'key-of-people', key: 'key' } } }],
}

const requiredByPeople = processorObject(SYSTEM, 'required', {
  type: 'CharacterCount',
  routers: ['/of-people/'],
  request: { required: true, async: false },
})

function routerOfPeople(serial: string): object {
  return routerObject(SYSTEM, 'of-people', {
    gatewayRef: { name: 'main' },
    path: '/of-people/',
    outbound: { url: UPSTREAM, headers: { 'X-Serial': [serial] } },
  })
}
