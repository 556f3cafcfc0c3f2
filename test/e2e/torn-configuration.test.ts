import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drive } from '../bench-operator/drive.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { gatewayObject, namespaceObject, routerObject, secretObject, UPSTREAM } from './gateway-objects.ts'
import { startKubeScene } from './kube-scene.ts'

const NS = 'torn'
const UPDATES = 1_000
const EVERY_MS = 80
const LEAST_CALLS = 10_000
/** Swaps that the pods made: a run in which hardly any configuration was seen proves nothing. */
const LEAST_CONFIGURATIONS = 40
const TIMEOUT_MS = 400_000

test('kubernetes 3: no call is made with a new configuration and an old key, whatever the speed of the updates', {
  skip: whyNoCluster(process.env),
  timeout: TIMEOUT_MS,
}, async () => {
  await using scene = await startKubeScene(process.env)
  await scene.apply(
    namespaceObject(NS),
    gatewayObject(NS, 'main'),
    secretObject(NS, 'key', { key: 'key-0' }),
    routerObject(NS, 'updated', {
      gatewayRef: { name: 'main' },
      path: '/updated/',
      outbound: { url: UPSTREAM, headers: { Authorization: ['${KEY}'], 'X-Serial': ['0'] } },
      env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'key', key: 'key' } } }],
    }),
  )
  await scene.wait(['-n', NS, 'router/updated', 'llmgateway/main'], 'Programmed')
  await scene.kubectl(['-n', NS, 'rollout', 'status', 'deploy/main', '--timeout=60s'])

  await scene.observe(`/load?callers=4&url=${encodeURIComponent(`http://main.${NS}.svc:5380/updated/`)}`)
  const router = `/apis/llmgateway.io/v1alpha1/namespaces/${NS}/routers/updated`
  const secret = `/api/v1/namespaces/${NS}/secrets/key`
  await drive(scene, { kind: 'updates', router, secret, updates: UPDATES, everyMs: EVERY_MS }, TIMEOUT_MS)
  await scene.wait(['-n', NS, 'router/updated', 'llmgateway/main'], 'Programmed')
  const result = JSON.parse(JSON.stringify(await scene.observe('/load/stop')))
  console.log(JSON.stringify(result))
  assert.equal(result.torn, 0)
  assert.deepEqual(result.failed, {})
  assert.ok(result.calls >= LEAST_CALLS, `${result.calls} calls`)
  assert.ok(result.configurations >= LEAST_CONFIGURATIONS, `${result.configurations} configurations`)
})
