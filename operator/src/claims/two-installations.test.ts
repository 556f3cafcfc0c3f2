import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { loadKubeAccess } from '@llm-gateway/kube'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type Operator, startOperator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from '../scenes/operator-under-test.ts'

const API = 'llmgateway.io/v1alpha1'
const LEASE = 'llm-gateway-operator'
const [FIRST, SECOND] = ['platform-a', 'platform-b'] as const
/** Short, yet longer than a call to a busy API server. */
const TIMINGS = { silentMs: 6_000, lookAgainMs: 500 }
const QUIET_MS = 3_000

type Json = ReturnType<typeof JSON.parse>

describe('two installations of one class on one cluster', { skip: whyNoApiServer(process.env) }, () => {
  let scene: OperatorScene
  const kubeconfigs = new Map<string, string>()
  const running = new Map<string, Operator>()
  before(async () => {
    scene = await startOperatorScene({ installedIn: FIRST })
    kubeconfigs.set(FIRST, scene.kubeconfig)
    await installAgain(SECOND)
  })
  after(async () => {
    await Promise.all([...running.values()].map((operator) => operator.close()))
    await scene?.close()
  })

  /** Gives the same rights to an account in another namespace. */
  const installAgain = async (namespace: string): Promise<void> => {
    const account = `${namespace}:${LEASE}`
    await scene.kubectl(['create', 'namespace', namespace])
    await scene.kubectl(['-n', namespace, 'create', 'serviceaccount', LEASE])
    await scene.kubectl([
      'create',
      'clusterrolebinding',
      namespace,
      `--clusterrole=${LEASE}.${FIRST}`,
      `--serviceaccount=${account}`,
    ])
    const role = JSON.parse(await scene.kubectl(['-n', FIRST, 'get', 'role', LEASE, '-o', 'json']))
    const { rules, apiVersion, kind } = role
    await scene.apply({ apiVersion, kind, metadata: { name: LEASE, namespace }, rules })
    await scene.kubectl([
      '-n',
      namespace,
      'create',
      'rolebinding',
      LEASE,
      `--role=${LEASE}`,
      `--serviceaccount=${account}`,
    ])
    kubeconfigs.set(namespace, await scene.server.createServiceAccountKubeconfig(namespace, LEASE))
    await scene.untilTrue('the account has its rights', async () => {
      const can = [
        'auth',
        'can-i',
        'list',
        'routers.llmgateway.io',
        '-n',
        'llm',
        `--as=system:serviceaccount:${account}`,
      ]
      return (await scene.server.kubectl(can)).code === 0
    })
  }
  const start = async (namespace: string, identity = 'pod-0'): Promise<Operator> => {
    const operator = startOperator({
      access: await loadKubeAccess(kubeconfigs.get(namespace)),
      podAccess: 'direct',
      gatewayClass: 'default',
      defaultImage: 'llm-gateway:test',
      operatorNamespace: namespace,
      logger: createLogger({ service: namespace, write: (line) => void scene.lines.push(line) }),
      candidacy: { identity, lease: { namespace, name: LEASE }, lost: () => undefined },
      claimTimings: TIMINGS,
    })
    running.set(namespace, operator)
    return operator
  }
  const stop = async (namespace: string): Promise<void> => {
    await running.get(namespace)?.close()
    running.delete(namespace)
  }
  const gateway = (name: string): object => ({
    apiVersion: API,
    kind: 'LLMGateway',
    metadata: { name, namespace: 'llm' },
    spec: {},
  })
  const router = (name: string, endpoint: string): object => ({
    apiVersion: API,
    kind: 'Router',
    metadata: { name, namespace: 'llm' },
    spec: { gatewayRef: { name: 'main' }, path: `/${name}/`, outbound: { url: 'https://res.example/', endpoint } },
  })
  const ownerOf = async (name: string): Promise<string | undefined> =>
    (await scene.get('llmgateway', name)).status?.operator?.namespace
  const isServedBy = (name: string, namespace: string): Promise<boolean> =>
    scene.untilTrue(`${name} is looked after from ${namespace}`, async () => (await ownerOf(name)) === namespace)
  const endpointOf = async (path: string): Promise<string | undefined> => {
    const { data } = await scene.get('configmap', 'main-config')
    const { routers } = JSON.parse(data['gl_config.json'])
    return routers.find((one: Json) => one.path === path)?.outbound.endpoint
  }
  const isConfigured = (path: string, endpoint: string): Promise<boolean> =>
    scene.untilTrue(`${path} has ${endpoint}`, async () => (await endpointOf(path)) === endpoint)
  /** Returns an installation's writes so far, without its Lease and events. */
  const writesFrom = (namespace: string): readonly string[] =>
    scene.writesOf(namespace).filter((write) => !/ (leases|events)/.test(write))
  const metricOf = async (namespace: string): Promise<string | undefined> =>
    /^llm_gateway_operator_gateways_elsewhere (\d+)$/m.exec((await running.get(namespace)?.metrics.render()) ?? '')?.[1]

  test('the first installation claims the LLMGateway, the second leaves it alone and reports that', async () => {
    await start(FIRST)
    await scene.apply(gateway('main'))
    await scene.apply(router('a', '/v1'))
    await isServedBy('main', FIRST)
    await isConfigured('/a/', '/v1')
    await start(SECOND)
    await scene.untilTrue('the metric of the second installation', async () => (await metricOf(SECOND)) === '1')
    assert.equal(await metricOf(FIRST), '0')
    const events = await scene.until('an event', async () => {
      const { items } = JSON.parse(await scene.inNamespace('get', 'events.events.k8s.io', '-o', 'json'))
      const found = items.filter(({ reason }: Json) => reason === 'LookedAfterElsewhere')
      return found.length > 0 ? found : undefined
    })
    assert.equal(events.length, 1)
    assert.match(events[0].note, /Lease platform-a\/llm-gateway-operator .* Lease platform-b\/llm-gateway-operator/)
    assert.ok(scene.lines.some((line) => line.includes('another operator looks after') && line.includes(SECOND)))
  })

  test('the first installation carries out edits; the second writes nothing, and neither writes at rest', async () => {
    await scene.apply(router('a', '/v2'))
    await isConfigured('/a/', '/v2')
    await scene.apply(router('b', '/v1'))
    await isConfigured('/b/', '/v1')
    assert.deepEqual(writesFrom(SECOND), [])
    // The statuses of the last edit are written two seconds later.
    await scene.until('the first installation writes nothing', async () => {
      const before = writesFrom(FIRST).length
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
      return writesFrom(FIRST).length === before ? true : undefined
    })
    const before = [FIRST, SECOND].map((namespace) => writesFrom(namespace).length)
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    assert.deepEqual(
      [FIRST, SECOND].map((namespace) => writesFrom(namespace).length),
      before,
    )
    assert.deepEqual(writesFrom(SECOND), [])
  })

  test('the second installation does not take over while the first restarts', async () => {
    await stop(FIRST)
    await start(FIRST, 'pod-1')
    await scene.apply(router('a', '/v3'))
    await isConfigured('/a/', '/v3')
    assert.equal(await ownerOf('main'), FIRST)
    assert.deepEqual(writesFrom(SECOND), [])
  })

  test('the second installation takes over after a long silence of the first, which leaves the LLMGateway alone when it returns', async () => {
    await stop(FIRST)
    await isServedBy('main', SECOND)
    await scene.apply(router('a', '/v4'))
    await isConfigured('/a/', '/v4')
    await start(FIRST, 'pod-2')
    await scene.untilTrue('the metric of the first installation', async () => (await metricOf(FIRST)) === '1')
    const before = writesFrom(FIRST).length
    await scene.apply(router('a', '/v5'))
    await isConfigured('/a/', '/v5')
    assert.equal(writesFrom(FIRST).length, before)
    assert.equal(await ownerOf('main'), SECOND)
  })

  test('each new LLMGateway is claimed by one of two running installations', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `new-${index}`)
    for (const name of names) await scene.apply(gateway(name))
    const owners = new Map<string, string>()
    for (const name of names) {
      const owner = await scene.until(`${name} has an operator`, () => ownerOf(name))
      owners.set(name, owner)
      await scene.untilTrue(`the Deployment ${name}`, () => scene.isThere(`deployment/${name}`))
    }
    for (const [name, owner] of owners) assert.equal(await ownerOf(name), owner)
    for (const namespace of [FIRST, SECOND]) {
      const made = writesFrom(namespace).filter((write) => /^patch deployments new-\d/.test(write))
      const own = [...owners].filter(([, owner]) => owner === namespace).map(([name]) => name)
      assert.deepEqual([...new Set(made.map((write) => write.split(' ')[2]))].toSorted(), own)
    }
  })

  test('a deleted Lease counts as expired at once', async () => {
    await stop(SECOND)
    await scene.kubectl(['-n', SECOND, 'delete', 'lease', LEASE])
    await isServedBy('main', FIRST)
    await scene.apply(router('a', '/v6'))
    await isConfigured('/a/', '/v6')
    assert.equal(await metricOf(FIRST), '0')
  })
})
