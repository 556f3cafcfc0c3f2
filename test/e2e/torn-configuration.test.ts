import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDriver } from '../bench-operator/run-driver.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { gatewayObject, namespaceObject, routerObject, secretObject, UPSTREAM } from './gateway-objects.ts'
import { startKubeScene } from './kube-scene.ts'

// Rules: docs/reference/kubernetes.md#delivery

const NS = 'torn'
const UPDATES = 1_000
const ROUNDS = 4
const MOST_ROUNDS = 20
const EVERY_MS = 80
const LEAST_CALLS = 10_000
/** Least number of different configurations that calls must have seen for a valid run. */
const LEAST_CONFIGURATIONS = 40
const TIMEOUT_MS = 800_000

// The test can fail: with the ConfigMap written before the Secret (write-translation.ts) 53 of 1,923 calls were torn.
test('no call is made with a new configuration and an old key, at any speed of updates', {
  skip: whyNoCluster(process.env),
  timeout: TIMEOUT_MS,
}, async () => {
  await using scene = await startKubeScene(process.env)
  await scene.apply(
    namespaceObject(NS),
    gatewayObject(NS, 'main', { replicas: 3 }),
    secretObject(NS, 'key', { key: 'key-0' }),
    routerObject(NS, 'updated', {
      gatewayRef: { name: 'main' },
      path: '/updated/',
      outbound: { url: UPSTREAM, headers: { Authorization: ['${KEY}'], 'X-Serial': ['0'] } },
      env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'key', key: 'key' } } }],
    }),
  )
  await scene.wait(['-n', NS, 'router/updated', 'llmgateway/main'], 'Programmed')
  await scene.rolledOut(NS, 'main')

  await scene.observe(`/load?callers=4&url=${encodeURIComponent(`http://main.${NS}.svc:5380/updated/`)}`)
  const router = `/apis/llmgateway.io/v1alpha1/namespaces/${NS}/routers/updated`
  const secret = `/api/v1/namespaces/${NS}/secrets/key`
  const names = await scene.kubectl(['-n', NS, 'get', 'pods', '-l', 'llmgateway.io/gateway=main', '-o', 'name'])
  const pods = names
    .trim()
    .split('\n')
    .map((name) => `/api/v1/namespaces/${NS}/${name.replace('pod/', 'pods/')}`)
  const order = { kind: 'updates', router, secret, pods, updates: UPDATES / ROUNDS, everyMs: EVERY_MS } as const
  let calls = 0
  // Calls are slow on a busy machine, so updates go on until there were enough calls.
  for (let round = 0; round < ROUNDS || (round < MOST_ROUNDS && calls < LEAST_CALLS); round += 1) {
    await runDriver(scene, { ...order, from: 1 + round * order.updates }, TIMEOUT_MS)
    calls = JSON.parse(JSON.stringify(await scene.observe('/load/result'))).calls
  }
  await scene.wait(['-n', NS, 'router/updated', 'llmgateway/main'], 'Programmed')
  const result = JSON.parse(JSON.stringify(await scene.observe('/load/stop')))
  console.log(JSON.stringify(result))
  assert.equal(result.torn, 0)
  assert.deepEqual(result.failed, {})
  assert.ok(result.calls >= LEAST_CALLS, `${result.calls} calls`)
  assert.ok(result.configurations >= LEAST_CONFIGURATIONS, `${result.configurations} configurations`)
})
