import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#processors, docs/reference/kubernetes.md#conditions,
// docs/reference/kubernetes.md#pause

const API = 'llmgateway.io/v1alpha1'
const QUIET_MS = 2_500

function processor(name: string, spec: object): object {
  const whole = { gatewayRef: { name: 'main' }, ...spec }
  return { apiVersion: API, kind: 'Processor', metadata: { name, namespace: 'llm' }, spec: whole }
}

function custom(spec: object = {}): object {
  return { type: 'Custom', custom: { image: 'registry.example/p:1' }, request: { outputFields: ['x'] }, ...spec }
}

const REQUIRED = custom({ request: { required: true, outputFields: ['control'] } })
const GATEWAY = { apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' }, spec: {} }
const ROUTER = {
  apiVersion: API,
  kind: 'Router',
  metadata: { name: 'a', namespace: 'llm' },
  spec: { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://res.example/' } },
}

describe('Processors on a real API server, with no other rights than the operator is shipped with', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    await scene.kubectl(['label', 'namespace', 'llm', 'pod-security.kubernetes.io/enforce=restricted'])
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const says = (name: string, expected: RegExp, kind = 'processor') =>
    scene.until(`${name} says ${expected}`, async () => {
      const path = '{range .status.conditions[*]}{.type}={.status}/{.reason}@{.observedGeneration} {end}'
      const shown = await scene.inNamespace('get', kind, name, '-o', `jsonpath=${path}`)
      return expected.test(shown) ? shown : undefined
    })
  /** Returns the names of the request's call points in the configuration. */
  const called = async (): Promise<readonly string[]> => {
    const { data } = await scene.get('configmap', 'main-config')
    const rows: readonly (readonly { name: string }[])[] = JSON.parse(data['gl_config.json']).request.processors
    return rows.flat().map(({ name }) => name)
  }
  const setAvailable = async (name: string, available: boolean): Promise<void> => {
    const { metadata } = await scene.get('deployment', `${name}-processor`)
    const condition = { type: 'Available', status: available ? 'True' : 'False', reason: 'Test', message: '' }
    const ready = available ? 1 : 0
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: ready, availableReplicas: ready }
    const status = { observedGeneration: metadata.generation, ...counts, conditions: [condition] }
    const patch = JSON.stringify({ status })
    await scene.inNamespace(
      'patch',
      'deployment',
      `${name}-processor`,
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    )
  }

  test('a Processor without its gateway reports that, and joins the gateway once it exists', async () => {
    await scene.apply(processor('characters', { type: 'CharacterCount' }))
    await says('characters', /^Accepted=False\/GatewayNotFound@1 .*Programmed=False\/GatewayNotFound@1/)
    await scene.apply(GATEWAY)
    await scene.apply(ROUTER)
    await says('characters', /^Accepted=True\/Accepted@1 ResolvedRefs=True.* Programmed=False\/NoReadyPods@1/)
    await scene.untilTrue('it is called', async () => (await called()).includes('character_count'))
  })

  test('the gateway owns the objects of a Processor; several pods have a disruption budget', async () => {
    const { metadata } = await scene.get('llmgateway', 'main')
    await scene.untilTrue('a deployment', () => scene.isThere('deployment/characters-processor'))
    for (const kind of ['deployment', 'serviceaccount', 'configmap']) {
      const made = await scene.get(kind, 'characters-processor')
      assert.equal(made.metadata.ownerReferences[0].uid, metadata.uid, kind)
    }
    assert.equal(await scene.isThere('pdb/characters-processor'), false)
    await scene.inNamespace('scale', 'processor', 'characters', '--replicas=2')
    await scene.untilTrue('a budget', () => scene.isThere('pdb/characters-processor'))
    await scene.inNamespace('scale', 'processor', 'characters', '--replicas=1')
    await scene.untilTrue('no budget', async () => !(await scene.isThere('pdb/characters-processor')))
  })

  test('its pods are admitted in a namespace that admits restricted pods only', async () => {
    await scene.apply(processor('any', custom({ env: [{ name: 'A', value: 'b' }] })))
    for (const name of ['characters', 'any']) {
      await scene.untilTrue('a deployment', () => scene.isThere(`deployment/${name}-processor`))
      const { spec } = await scene.get('deployment', `${name}-processor`)
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'llm' }, spec: spec.template.spec }
      await scene.kubectl(['create', '--dry-run=server', '-f', '-'], pod)
    }
  })

  test('the gateway calls a required Processor once its pods were available, and keeps calling it then', async () => {
    await scene.apply(processor('guard', REQUIRED))
    await says('guard', /Programmed=False\/WaitingForReady@1/)
    await scene.untilTrue('a deployment', () => scene.isThere('deployment/guard-processor'))
    assert.equal((await called()).includes('guard'), false)
    await setAvailable('guard', true)
    await scene.untilTrue('it is called', async () => (await called()).includes('guard'))
    await says('guard', /Ready=True/)
    await setAvailable('guard', false)
    await says('guard', /Ready=False\/DeploymentUnavailable/)
    assert.ok((await called()).includes('guard'))
    await operator.close()
    await scene.apply({ ...ROUTER, metadata: { name: 'b', namespace: 'llm' }, spec: { ...ROUTER.spec, path: '/b/' } })
    operator = await scene.start()
    await says('b', /Accepted=True/, 'router')
    assert.ok((await called()).includes('guard'))
  })

  test('neither a refused edit nor a deleted file removes a required call point', async () => {
    const modifying = { order: 9, modifier: true, outputFields: ['q'] }
    await scene.apply(processor('any', custom({ request: modifying })))
    await says('any', /Accepted=True\/Accepted@2/)
    await scene.apply(processor('guard', custom({ request: { ...modifying, required: true } })))
    await says('guard', /Accepted=False\/FieldConflict@2 .*Programmed=False\/FieldConflict@2/)
    assert.ok((await called()).includes('guard'))
    await scene.apply(processor('guard', REQUIRED))
    await says('guard', /Accepted=True\/Accepted@3/)
    await scene.inNamespace('delete', 'configmap', 'main-config')
    await scene.untilTrue('a file', () => scene.isThere('configmap/main-config'))
    assert.ok((await called()).includes('guard'))
  })

  test("the Secrets of a Processor's environment have to exist; their values stand in no object", async () => {
    const env = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'late', key: 'k' } } }]
    await scene.apply(processor('keyed', custom({ env })))
    await says('keyed', /ResolvedRefs=False\/SecretNotFound@1 .*Programmed=False\/SecretNotFound@1/)
    assert.equal(await scene.isThere('deployment/keyed-processor'), false)
    const metadata = { name: 'late', namespace: 'llm' }
    await scene.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { k: 'planted' } })
    await says('keyed', /ResolvedRefs=True/)
    await scene.untilTrue('a deployment', () => scene.isThere('deployment/keyed-processor'))
    const all = await scene.kubectl(['get', 'configmaps,deployments,llm,events', '-A', '-o', 'yaml'])
    assert.doesNotMatch(all, /planted/)
    await scene.inNamespace('delete', 'secret', 'late')
    await says('keyed', /ResolvedRefs=False\/SecretNotFound/)
    assert.ok(await scene.isThere('deployment/keyed-processor'))
  })

  test('each router path that a Processor names has to exist', async () => {
    await scene.apply(processor('lost', custom({ routers: ['/a/', '/later/'] })))
    await says('lost', /ResolvedRefs=False\/RouterNotFound@1 .*Programmed=False\/RouterNotFound/)
    const metadata = { name: 'later', namespace: 'llm' }
    await scene.apply({ ...ROUTER, metadata, spec: { ...ROUTER.spec, path: '/later/' } })
    await says('lost', /ResolvedRefs=True/)
  })

  test("the status of a Processor names the reason why its pods don't start", async () => {
    await scene.apply(processor('failing', custom()))
    await scene.untilTrue('a deployment', () => scene.isThere('deployment/failing-processor'))
    await setAvailable('failing', false)
    await says('failing', /Ready=False\/DeploymentUnavailable/)
    await scene.makePod('failing-processor', 'failing-0')
    for (const [waiting, restartCount, reason] of [
      ['ImagePullBackOff', 0, 'ImagePullFailed'],
      ['CrashLoopBackOff', 1, 'CrashLooping'],
    ] as const) {
      const state = { waiting: { reason: waiting } }
      const container = { name: 'processor', image: 'i', imageID: '', ready: false, restartCount, state }
      const patch = JSON.stringify({ status: { containerStatuses: [container] } })
      await scene.inNamespace('patch', 'pod', 'failing-0', '--subresource=status', '--type=merge', '-p', patch)
      await says('failing', new RegExp(`Ready=False/${reason}`))
    }
  })

  test('a foreign Deployment with the name of a Processor stays, and only the status of that Processor names it', async () => {
    await scene.kubectl(['-n', 'llm', 'create', 'deployment', 'taken-processor', '--image=theirs'])
    await scene.apply(processor('taken', custom()))
    await says('taken', /Ready=False\/DeploymentUnavailable/)
    await says('main', /Accepted=True\/Accepted/, 'llmgateway')
    const { spec } = await scene.get('deployment', 'taken-processor')
    assert.equal(spec.template.spec.containers[0].image, 'theirs')
    await scene.inNamespace('delete', 'deployment', 'taken-processor')
    await scene.inNamespace('delete', 'processor', 'taken')
  })

  test('a configuration that is too large for a ConfigMap affects its own Processor alone', async () => {
    const create = async (name: string, config: string): Promise<void> => {
      const text = JSON.stringify(processor(name, custom({ custom: { image: 'a/b:1', config: { any: '@' } } })))
      const path = '/apis/llmgateway.io/v1alpha1/namespaces/llm/processors'
      const whole = text.replace('"@"', () => config)
      const { code, stderr } = await scene.server.kubectl(['create', '--raw', path, '-f', '-'], whole)
      assert.equal(code, 0, stderr)
    }
    await create('deep', `${'['.repeat(9_000)}${']'.repeat(9_000)}`)
    await create('long', JSON.stringify('x'.repeat(1_200_000)))
    for (const name of ['deep', 'long']) await says(name, /Accepted=False\/InvalidParameters@1/)
    await scene.apply({
      ...ROUTER,
      metadata: { name: 'beside', namespace: 'llm' },
      spec: { ...ROUTER.spec, path: '/beside/' },
    })
    await says('beside', /Accepted=True\/Accepted@1/, 'router')
    await scene.inNamespace('delete', 'processor', 'deep', 'long')
    await scene.inNamespace('delete', 'router', 'beside')
  })

  test('the Processors of a paused gateway are neither started nor ended', async () => {
    await scene.inNamespace('annotate', 'llmgateway', 'main', 'llmgateway.io/paused=true')
    await says('main', /Accepted=False\/Paused/, 'llmgateway')
    await scene.apply(processor('new', custom()))
    await scene.inNamespace('delete', 'processor', 'lost')
    await says('new', /Accepted=True\/Accepted/)
    assert.equal(await scene.isThere('deployment/new-processor'), false)
    assert.ok(await scene.isThere('deployment/lost-processor'))
    await scene.inNamespace('annotate', 'llmgateway', 'main', 'llmgateway.io/paused-')
    await scene.untilTrue('the gateway goes on', () => scene.isThere('deployment/new-processor'))
  })

  test('the call points of a deleted Processor leave the file before its objects are deleted; other Processors stay', async () => {
    await scene.inNamespace('delete', 'processor', 'any')
    for (const kind of ['deployment', 'serviceaccount', 'configmap']) {
      await scene.untilTrue(`no ${kind}`, async () => !(await scene.isThere(`${kind}/any-processor`)))
    }
    assert.equal((await called()).includes('any'), false)
    assert.ok(await scene.isThere('deployment/guard-processor'))
  })

  test('at rest and after a restart nothing is written', async () => {
    await scene.quiet(QUIET_MS)
    await operator.close()
    operator = await scene.start()
    await scene.untilTrue('a start', async () => operator.ready)
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
  })

  test('of two Processors of one shipped type the younger is accepted once the older is deleted', async () => {
    await scene.apply(processor('second', { type: 'CharacterCount' }))
    await says('second', /Accepted=False\/InvalidParameters/)
    await scene.inNamespace('delete', 'processor', 'characters')
    await says('second', /Accepted=True/)
  })
})
