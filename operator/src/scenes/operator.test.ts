import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#conditions, docs/reference/kubernetes.md#ownership,
// docs/reference/kubernetes.md#pause, docs/reference/kubernetes.md#variables

const API = 'llmgateway.io/v1alpha1'
const QUIET_MS = 3_000

function gateway(spec: object = {}, metadata: object = {}): object {
  return { apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm', ...metadata }, spec }
}

function router(name: string, spec: object = {}): object {
  const whole = { gatewayRef: { name: 'main' }, path: `/${name}/`, outbound: { url: 'https://res.example/' }, ...spec }
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace: 'llm' }, spec: whole }
}

describe('the operator on a real API server, with no other rights than it is shipped with', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const conditions = async (kind: string, name: string): Promise<string> =>
    scene.kubectl([
      '-n',
      'llm',
      'get',
      kind,
      name,
      '-o',
      'jsonpath={range .status.conditions[*]}{.type}={.status}/{.reason}@{.observedGeneration} {end}',
    ])
  const says = (kind: string, name: string, expected: RegExp) =>
    scene.until(`${name} says ${expected}`, async () => {
      const shown = await conditions(kind, name)
      return expected.test(shown) ? shown : undefined
    })
  const config = async (): Promise<{ routers: readonly { path: string }[] }> => {
    const { data } = await scene.get('configmap', 'main-config')
    return JSON.parse(data['gl_config.json'])
  }

  test('a Router without its gateway reports that, and joins the gateway once it exists', async () => {
    await scene.apply(router('a'))
    await says('router', 'a', /^Accepted=False\/GatewayNotFound@1 .*Programmed=False\/GatewayNotFound@1/)
    await scene.apply(gateway())
    await says(
      'router',
      'a',
      /^Accepted=True\/Accepted@1 ResolvedRefs=True\/ResolvedRefs@1 Programmed=False\/NoReadyPods@1/,
    )
    await says(
      'llmgateway',
      'main',
      /Accepted=True.*Ready=False\/DeploymentUnavailable.*Programmed=False\/NoReadyPods.*RecordsDurable=Unknown\/BusUnavailable/,
    )
    assert.deepEqual(
      (await config()).routers.map(({ path }) => path),
      ['/a/'],
    )
  })

  test('every object of a gateway exists and has the gateway as owner', async () => {
    const { metadata } = await scene.get('llmgateway', 'main')
    const made = ['deployment/main', 'service/main', 'serviceaccount/main', 'pdb/main', 'configmap/main-config']
    const ofBus = ['statefulset/main-bus', 'service/main-bus', 'configmap/main-bus', 'secret/main-bus-token']
    for (const one of [...made, ...ofBus, 'secret/main-values']) {
      const owner = await scene.kubectl(['-n', 'llm', 'get', one, '-o', 'jsonpath={.metadata.ownerReferences[*].uid}'])
      assert.equal(owner, metadata.uid, one)
    }
  })

  test('an edit costs one ConfigMap and one status of Router and gateway; at rest and after a restart nothing is written', async () => {
    await scene.quiet(QUIET_MS)
    const before = scene.writes().length
    await scene.apply(router('a', { outbound: { url: 'https://other.example/' } }))
    await says('router', 'a', /Programmed=False\/NoReadyPods@2/)
    await scene.quiet(QUIET_MS)
    assert.deepEqual(scene.writes().slice(before).toSorted(), [
      'patch configmaps main-config',
      'patch llmgateways main status',
      'patch routers a status',
    ])
    await operator.close()
    operator = await scene.start()
    await scene.until('a start', async () => (operator.ready ? true : undefined))
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
  })

  test('changes of others to the operator’s fields are put back', async () => {
    await scene.kubectl(['-n', 'llm', 'scale', 'deployment/main', '--replicas=7'])
    await scene.kubectl(['-n', 'llm', 'delete', 'service', 'main'])
    await scene.until('the objects are restored', async () => {
      const replicas = await scene.kubectl([
        '-n',
        'llm',
        'get',
        'deployment',
        'main',
        '-o',
        'jsonpath={.spec.replicas}',
      ])
      const service = await scene.kubectl(['-n', 'llm', 'get', 'service', 'main', '--ignore-not-found', '-o', 'name'])
      return replicas === '2' && service !== '' ? true : undefined
    })
  })

  test('a foreign object with the name of an own object is a NameConflict, and is left alone', async () => {
    const theirs = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'other-config', namespace: 'llm' },
      data: { a: 'b' },
    }
    await scene.apply(theirs)
    await scene.apply(gateway({}, { name: 'other' }))
    await says('llmgateway', 'other', /Accepted=False\/NameConflict/)
    const left = await scene.get('configmap', 'other-config')
    assert.deepEqual(left.data, { a: 'b' })
    await scene.kubectl(['-n', 'llm', 'delete', 'configmap', 'other-config'])
    await says('llmgateway', 'other', /Accepted=True\/Accepted/)
  })

  test('a problem that the author of a resource has to mend becomes an event of that resource', async () => {
    for (const [reason, object] of [
      ['NameConflict', 'llmgateway/other'],
      ['GatewayNotFound', 'router/a'],
    ]) {
      await scene.until(`an event ${reason}`, async () => {
        const events = await scene.kubectl(['-n', 'llm', 'get', 'events', '--field-selector', `reason=${reason}`])
        return events.includes(`Warning   ${reason}`) && events.includes(object ?? '') ? true : undefined
      })
    }
  })

  test('a paused gateway is not changed and reports that, and its Routers go on working', async () => {
    await scene.kubectl(['-n', 'llm', 'annotate', 'llmgateway', 'main', 'llmgateway.io/paused=true'])
    await says('llmgateway', 'main', /Accepted=False\/Paused/)
    await scene.apply(router('paused'))
    await says('router', 'paused', /Accepted=True\/Accepted/)
    assert.equal((await config()).routers.length, 1)
    await scene.kubectl(['-n', 'llm', 'annotate', 'llmgateway', 'main', 'llmgateway.io/paused-'])
    await scene.until('the gateway goes on', async () => ((await config()).routers.length === 2 ? true : undefined))
  })

  test('the operator follows a Secret that is created, changed and deleted, and copies its values into the values Secret alone', async () => {
    const env = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'late', key: 'k' } } }]
    await scene.apply(
      router('late', { outbound: { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'] } }, env }),
    )
    await says('router', 'late', /ResolvedRefs=False\/SecretNotFound/)
    for (const text of ['planted-1', 'planted-2']) {
      await scene.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'late', namespace: 'llm' },
        stringData: { k: text },
      })
      await says('router', 'late', /ResolvedRefs=True/)
      await scene.until(text, async () => {
        const { data } = await scene.get('secret', 'main-values')
        return Object.values(data).some((value) => Buffer.from(String(value), 'base64').toString() === text)
          ? true
          : undefined
      })
    }
    await scene.kubectl(['-n', 'llm', 'delete', 'secret', 'late'])
    await says('router', 'late', /ResolvedRefs=False\/SecretNotFound/)
    assert.doesNotMatch(await scene.kubectl(['get', 'configmaps,llm,events', '-A', '-o', 'yaml']), /planted/)
    assert.doesNotMatch(scene.lines.join(''), /planted/)
  })

  test('a watch that the API server answers with 410 starts again and misses no change', async () => {
    await scene.server.apiServer.kill('SIGKILL')
    await scene.server.apiServer.start()
    await scene.apply(router('after'))
    await says('router', 'after', /Accepted=True/)
  })

  const denied: readonly (readonly [string, readonly string[], string, RegExp])[] = [
    ['a Secret without its label', ['create', '-f', '-'], secret({}), /writes only objects that carry its label/],
    [
      'somebody else’s Secret',
      ['-n', 'llm', 'patch', 'secret', 'theirs', '-p', '{"data":{"a":"eA=="}}'],
      '',
      /its label/,
    ],
    ['a pod', ['create', '-f', '-'], pod('new'), /cannot create resource "pods"/],
    ['a namespace', ['delete', 'namespace', 'llm'], '', /cannot delete resource "namespaces"/],
    ['a Router', ['-n', 'llm', 'delete', 'router', 'a'], '', /cannot delete resource "routers"/],
  ]
  const patches: readonly (readonly [string, object, number])[] = [
    ['its own annotation', { metadata: { annotations: { 'llmgateway.io/config': 'sha256:x' } } }, 200],
    ['another annotation', { metadata: { annotations: { a: 'b' } } }, 422],
    [
      'the annotation and a label',
      { metadata: { annotations: { 'llmgateway.io/config': 'y' }, labels: { a: 'b' } } },
      422,
    ],
    ['a finalizer', { metadata: { finalizers: ['a.b/c'] } }, 422],
    ['the image', { spec: { containers: [{ name: 'a', image: 'b' }] } }, 422],
  ]
  for (const [what, patch, status] of patches) {
    test(`the operator ${status === 200 ? 'may' : "can't"} write ${what} of a gateway's pod`, async () => {
      await scene.apply(JSON.parse(pod('gw')))
      const outcome = await scene.client.merge({ kind: 'Pod', namespace: 'llm', name: 'gw' }, patch)
      assert.equal(outcome.kind === 'written' ? 200 : outcome.status, status)
    })
  }

  test("the operator can't annotate a foreign pod", async () => {
    await scene.apply({ ...JSON.parse(pod('foreign')), metadata: { name: 'foreign', namespace: 'llm' } })
    const place = { kind: 'Pod', namespace: 'llm', name: 'foreign' } as const
    const outcome = await scene.client.merge(place, { metadata: { annotations: { 'llmgateway.io/config': 'x' } } })
    assert.equal(outcome.kind, 'refused')
  })

  for (const [what, args, input, error] of denied) {
    test(`the operator can't write ${what}`, async () => {
      await scene.apply(JSON.parse(secret({ name: 'theirs' })))
      await scene.apply(JSON.parse(pod('gw')))
      const { code, stderr } = await scene.server.kubectl(['--kubeconfig', scene.kubeconfig, ...args], input)
      assert.notEqual(code, 0)
      assert.match(stderr, error)
    })
  }
})

function secret(metadata: object): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own', namespace: 'llm', ...metadata } })
}

function pod(name: string): string {
  const labels = { 'llmgateway.io/gateway': 'none' }
  const spec = { containers: [{ name: 'a', image: 'a' }] }
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'llm', labels }, spec })
}
