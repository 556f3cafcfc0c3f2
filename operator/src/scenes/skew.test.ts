import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#reasons

const API = 'llmgateway.io/v1alpha1'
const QUIET_MS = 2_500
/** Values that are too long, too late and too large for this operator, and that newer CRDs accept. */
const LONG = `/${'x'.repeat(5_000)}`
const NEWER_MS = 700_000
const NEWER_BYTES = 1_000_000_000

type Json = ReturnType<typeof JSON.parse>

function resource(kind: string, name: string, spec: object): object {
  return { apiVersion: API, kind, metadata: { name, namespace: 'llm' }, spec }
}
const gateway = (requestBytes: number) => resource('LLMGateway', 'main', { limits: { requestBytes } })
function router(name: string, endpoint: string, path = `/${name}/`): object {
  const outbound = { url: 'https://res.example/', endpoint, headers: { 'Api-Key': ['${KEY}'] } }
  return resource('Router', name, {
    gatewayRef: { name: 'main' },
    path,
    outbound,
    env: [{ name: 'KEY', value: 'text' }],
  })
}
function guard(timeoutMs: number): object {
  const request = { required: true, outputFields: ['control'], timeoutMs }
  const custom = { image: 'registry.example/p:1' }
  return resource('Processor', 'guard', { gatewayRef: { name: 'main' }, type: 'Custom', custom, request })
}

describe('an older operator under newer CRDs and objects, and back', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    await widen('routers.llmgateway.io', ({ outbound }) => delete outbound.properties.endpoint.maxLength)
    await widen('processors.llmgateway.io', ({ request }) => delete request.properties.timeoutMs.maximum)
    await widen('llmgateways.llmgateway.io', ({ limits }) => delete limits.properties.requestBytes.maximum)
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const widen = async (name: string, change: (spec: Json) => void): Promise<void> => {
    const definition: Json = JSON.parse(await scene.kubectl(['get', 'crd', name, '-o', 'json']))
    change(definition.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties)
    await scene.kubectl(['replace', '-f', '-'], definition)
  }
  const says = (kind: string, name: string, expected: RegExp) =>
    scene.until(`${kind} ${name} says ${expected}`, async () => {
      const path = '{range .status.conditions[*]}{.type}={.status}/{.reason}@{.observedGeneration} {end}'
      const shown = await scene.inNamespace('get', kind, name, '-o', `jsonpath=${path}`)
      return expected.test(shown) ? shown : undefined
    })
  const file = async (): Promise<Json> =>
    JSON.parse((await scene.get('configmap', 'main-config')).data['gl_config.json'])
  const entry = async (path: string): Promise<Json> => (await file()).routers.find((one: Json) => one.path === path)
  const called = async () => (await file()).request.processors.flat().map(({ name, timeout }: Json) => [name, timeout])
  const restart = async (): Promise<void> => {
    await operator.close()
    operator = await scene.start()
    await scene.untilTrue('a start', async () => operator.ready)
    await scene.quiet(QUIET_MS)
  }
  /** Returns the objects of the gateway and those that it uses, by name and version of content. */
  const standing = async (): Promise<Json> => {
    const kinds = 'deployments,statefulsets,services,serviceaccounts,configmaps,secrets,poddisruptionbudgets'
    const { items }: Json = JSON.parse(await scene.inNamespace('get', kinds, '-o', 'json'))
    return items.map(({ kind, metadata, data }: Json) => [kind, metadata.name, metadata.uid, metadata.generation, data])
  }
  const available = async (): Promise<void> => {
    await scene.untilTrue('a deployment', () => scene.isThere('deployment/guard-processor'))
    const { metadata } = await scene.get('deployment', 'guard-processor')
    const conditions = [{ type: 'Available', status: 'True', reason: 'Test', message: '' }]
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    const patch = JSON.stringify({ status: { observedGeneration: metadata.generation, ...counts, conditions } })
    const patched = ['patch', 'deployment', 'guard-processor', '--subresource=status', '--type=merge', '-p', patch]
    await scene.inNamespace(...patched)
  }

  test('resources that the operator can read are in use', async () => {
    await scene.apply(gateway(1_024))
    await scene.apply(router('a', '/v1'))
    await scene.apply(router('other', '/v1'))
    await scene.apply(guard(1_000))
    await available()
    await scene.untilTrue('the guard is called', async () => (await called()).length === 1)
    await scene.quiet(QUIET_MS)
  })

  test('a Router and a Processor with a newer spec keep their configuration in use and report Unreadable', async () => {
    const before = await standing()
    await scene.apply(router('a', LONG))
    await scene.apply(guard(NEWER_MS))
    await says('router', 'a', /^Accepted=Unknown\/Unreadable@2 .*Programmed=Unknown\/Unreadable@2/)
    await says('processor', 'guard', /^Accepted=Unknown\/Unreadable@2/)
    await scene.quiet(QUIET_MS)
    assert.deepEqual(await standing(), before)
    const metrics = await operator.metrics.render()
    assert.match(metrics, /llm_gateway_operator_resources\{kind="Router",state="unreadable"\} 1/)
    assert.match(metrics, /llm_gateway_operator_resources\{kind="Processor",state="unreadable"\} 1/)
  })

  test('both keep their configuration across a restart, and nothing is written at rest', async () => {
    const before = await standing()
    await restart()
    assert.deepEqual(await standing(), before)
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
    await says('router', 'a', /^Accepted=Unknown\/Unreadable@2/)
  })

  test('the path of an unreadable Router stays taken, and edits of other Routers take effect', async () => {
    await scene.apply(router('thief', '/v2', '/a/'))
    await scene.apply(router('other', '/v2'))
    await says('router', 'thief', /^Accepted=False\/PathConflict/)
    await says('router', 'other', /^Accepted=True\/Accepted@2/)
    const { outbound } = await entry('/a/')
    assert.equal(outbound.endpoint, '/v1')
    assert.equal((await entry('/other/')).outbound.endpoint, '/v2')
    assert.deepEqual(await called(), [['guard', 1_000]])
  })

  test('a new Router waits for the required Processor, which nobody can ask for its calls', async () => {
    await scene.apply(router('late', '/v2'))
    await says('router', 'late', /Programmed=False\/Pending/)
    assert.deepEqual(await entry('/late/'), { path: '/late/', disabled: true })
  })

  test('a Router whose spec was never read holds its path and serves no call', async () => {
    await scene.apply(router('new', LONG))
    await says('router', 'new', /^Accepted=Unknown\/Unreadable@1/)
    assert.deepEqual(await entry('/new/'), { path: '/new/', disabled: true })
  })

  test('a gateway with a newer spec and its Routers stay in use', async () => {
    await scene.apply(gateway(NEWER_BYTES))
    await says('llmgateway', 'main', /^Accepted=Unknown\/Unreadable@2/)
    await scene.apply(router('other', '/v3'))
    await scene.untilTrue('the edit', async () => (await entry('/other/')).outbound.endpoint === '/v3')
    assert.equal((await file()).limits.request_bytes, 1_024)
  })

  test('a restart changes and deletes nothing of these resources', async () => {
    const before = await standing()
    await restart()
    await scene.apply(router('other', '/v4'))
    await says('llmgateway', 'main', /^Accepted=Unknown\/Unreadable@2/)
    await says('router', 'other', /^Accepted=Unknown\/GatewayNotAccepted@4/)
    assert.deepEqual(await standing(), before)
  })

  test('readable edits take effect, whichever resource was unreadable before', async () => {
    await scene.apply(gateway(2_048))
    await says('llmgateway', 'main', /^Accepted=True\/Accepted@3/)
    await says('router', 'other', /^Accepted=True/)
    await scene.apply(router('a', '/v5'))
    await scene.apply(guard(2_000))
    await says('router', 'a', /^Accepted=True\/Accepted@3/)
    await says('processor', 'guard', /^Accepted=True\/Accepted@3/)
    await available()
    assert.equal((await file()).limits.request_bytes, 2_048)
    assert.equal((await entry('/a/')).outbound.endpoint, '/v5')
    assert.deepEqual(await called(), [['guard', 2_000]])
    await scene.untilTrue('the new Router works', async () => (await entry('/late/')).outbound?.endpoint === '/v2')
  })

  test('the newer operator uses the newer specs, and a deleted resource is removed', async () => {
    await scene.inNamespace('delete', 'router', 'new', 'a')
    await says('router', 'thief', /^Accepted=True/)
    await scene.untilTrue('both are gone', async () => (await entry('/new/')) === undefined)
    assert.equal((await entry('/a/')).outbound.endpoint, '/v2')
  })
})
