import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { parse } from 'yaml'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#ownership, docs/reference/kubernetes.md#pause,
// docs/reference/kubernetes.md#delivery

const API = 'llmgateway.io/v1alpha1'
const QUIET_MS = 2_500
const KEY_PAIR = parse(readFileSync(join(import.meta.dirname, '../../testdata/objects/tls.in.yaml'), 'utf8')).sources

function gateway(spec: object, name = 'main'): object {
  return { apiVersion: API, kind: 'LLMGateway', metadata: { name, namespace: 'llm' }, spec }
}

function secret(name: string, stringData: object): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'llm' }, stringData }
}

const SINKS = {
  file: { storage: { emptyDir: '2048Mi' } },
  rest: {
    url: 'https://log.example',
    headers: { Authorization: ['Bearer ${KEY}'] },
    env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'rest', key: 'key' } } }],
  },
}
/** All pod settings that a person can set, in forms that the API server doesn't keep. */
const FULL = {
  replicas: 1,
  env: [
    { name: 'EMPTY', value: '' },
    { name: 'LITERAL', value: '$(NATS_TOKEN)' },
  ],
  bus: { managed: { storage: { emptyDir: '1024Mi' } } },
  tls: {
    ingress: { secretRef: { name: 'cert' } },
    outbound: { caRefs: [{ kind: 'Secret', name: 'cert', key: 'tls.crt' }] },
  },
  record: { sinks: SINKS },
  service: { annotations: { 'example.com/a': '' } },
  pod: {
    resources: { requests: { cpu: '0.1', memory: '1024Mi' }, limits: { memory: 2147483648 } },
    nodeSelector: { 'node-role.kubernetes.io/gpu': '' },
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    imagePullSecrets: [{ name: 'pull' }],
  },
}
const CLUSTERED = { replicas: 1, bus: { managed: { replicas: 3, storage: { claim: { size: '1Gi' } } } } }
/** A form of a size that the API server doesn't keep. */
const CLAIMED = { replicas: 1, bus: { managed: { storage: { claim: { size: '10240Mi', storageClassName: '' } } } } }

describe('objects on a real API server, with no other rights than the operator is shipped with', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    operator = await scene.start()
    await scene.apply(secret('cert', KEY_PAIR['llm/Secret/cert'].values))
    await scene.apply(secret('rest', { key: 'planted' }))
    await scene.apply(secret('nats', { token: 'planted' }))
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const read = (what: string, path: string) => scene.inNamespace('get', what, '-o', `jsonpath=${path}`)
  const says = (name: string, expected: RegExp) =>
    scene.untilTrue(`${name} says ${expected}`, async () => {
      const path = '{range .status.conditions[*]}{.type}={.status}/{.reason} {.message} {end}'
      return expected.test(await read(`llmgateway/${name}`, path))
    })
  /** Stands in for the Deployment's controller: every pod is new and ready. */
  const rollOut = async (name = 'main'): Promise<void> => {
    const { metadata, spec } = await scene.get('deployment', name)
    const counts = { replicas: spec.replicas, readyReplicas: spec.replicas, updatedReplicas: spec.replicas }
    const conditions = [{ type: 'Available', status: 'True', reason: 'Test', message: '' }]
    const status = { observedGeneration: metadata.generation, ...counts, availableReplicas: spec.replicas, conditions }
    const patch = JSON.stringify({ status })
    await scene.inNamespace('patch', 'deployment', name, '--subresource=status', '--type=merge', '-p', patch)
  }

  test('an object that the API server keeps in another form than it was written is not written again', async () => {
    await scene.apply(gateway(FULL))
    await scene.apply(gateway(CLAIMED, 'claimed'))
    await scene.apply(gateway(CLUSTERED, 'clustered'))
    await scene.untilTrue('the last sink', () => scene.isThere('deployment/main-sink-rest'))
    await scene.untilTrue('the other gateway', () => scene.isThere('deployment/claimed'))
    await scene.untilTrue('the gateway with a bus of three servers', () => scene.isThere('deployment/clustered'))
    assert.ok(await scene.isThere('pdb/clustered-bus-peers'))
    await scene.quiet(QUIET_MS)
    await operator.close()
    operator = await scene.start()
    await scene.until('a start', async () => (operator.ready ? true : undefined))
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
    await scene.inNamespace('delete', 'llmgateway', 'clustered')
  })

  test('a bus that has run keeps its image when the gateway gets another image', async () => {
    const bus = 'statefulset/claimed-bus'
    const image = '{.spec.template.spec.containers[*].image}'
    const { metadata } = await scene.get('statefulset', 'claimed-bus')
    const counts = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, observedGeneration: metadata.generation }
    const ready = JSON.stringify({ status: counts })
    await scene.inNamespace('patch', bus, '--subresource=status', '--type=merge', '-p', ready)
    const proven = "{.metadata.annotations['llmgateway\\.io/bus-image']}"
    await scene.untilTrue('the noted image', async () => (await read(bus, proven)) === 'llm-gateway:test')
    await scene.apply(gateway({ ...CLAIMED, image: 'gateway:2' }, 'claimed'))
    await scene.untilTrue('the image', async () => (await read('deployment/claimed', image)) === 'gateway:2')
    await scene.quiet(QUIET_MS)
    assert.equal(await read(bus, image), 'llm-gateway:test llm-gateway:test')
    assert.equal((await scene.get('statefulset', 'claimed-bus')).metadata.generation, metadata.generation)
    await scene.inNamespace('delete', 'llmgateway', 'claimed')
  })

  const drifts: readonly (readonly [string, string, readonly string[], RegExp])[] = [
    [
      'a label',
      'service/main',
      ['label', 'service', 'main', 'app.kubernetes.io/instance=other', '--overwrite'],
      /"app.kubernetes.io\/instance":"main"/,
    ],
    [
      'the label by which the operator finds its objects',
      'service/main',
      ['label', 'service', 'main', 'app.kubernetes.io/managed-by-'],
      /"app.kubernetes.io\/managed-by":"llm-gateway-operator"/,
    ],
    [
      'an opened port',
      'networkpolicy/main-bus',
      ['patch', 'networkpolicy', 'main-bus', '--type=json', '-p', '[{"op":"add","path":"/spec/ingress/-","value":{}}]'],
      /"ports":\[[^\]]*\]\}\],"podSelector"/,
    ],
    [
      'a file',
      'configmap/main-sink-rest',
      ['patch', 'configmap', 'main-sink-rest', '-p', '{"data":{"nats2rest_config.json":"{}"}}'],
      /log\.example/,
    ],
    [
      'a variable',
      'deployment/main-sink-rest',
      ['set', 'env', 'deployment/main-sink-rest', 'KEY=mine'],
      /"name":"KEY","valueFrom":\{"secretKeyRef"/,
    ],
    ['a deleted policy', 'networkpolicy/main', ['delete', 'networkpolicy', 'main'], /"policyTypes":\["Ingress"\]/],
  ]
  for (const [what, object, change, expected] of drifts) {
    test(`${what} that somebody changed is put back`, async () => {
      const written = scene.writes().length
      await scene.inNamespace(...change)
      await scene.untilTrue(`${object} is mended`, async () => {
        const isWritten = scene
          .writes()
          .slice(written)
          .some((write) => write.endsWith(` ${object.split('/')[1]}`))
        return isWritten && (await scene.isThere(object)) && expected.test(await read(object, '{@}'))
      })
    })
  }

  test('the operator can remove a field that it restored over the change of somebody else', async () => {
    const path = '{range .metadata.managedFields[*]}{.manager}/{.operation} {end}'
    const managers = await scene.inNamespace(
      'get',
      'deployment/main-sink-rest',
      '--show-managed-fields',
      '-o',
      `jsonpath=${path}`,
    )
    assert.match(managers, /llm-gateway-operator\/Apply/)
    assert.doesNotMatch(managers, /llm-gateway-operator\/Update/)
    const renamed = { ...SINKS.rest, headers: {}, env: [{ name: 'OTHER', value: 'x' }] }
    await scene.apply(gateway({ ...FULL, record: { sinks: { ...SINKS, rest: renamed } } }))
    const variables = () => read('deployment/main-sink-rest', '{..env[*].name}')
    await scene.untilTrue('the new variable', async () => (await variables()) === 'NATS_TOKEN OTHER')
    await scene.apply(gateway(FULL))
    await scene.untilTrue('the old variable', async () => (await variables()) === 'NATS_TOKEN KEY')
  })

  test('items that others add to merged lists stay and cause no write', async () => {
    await scene.inNamespace('set', 'env', 'deployment/main-sink-file', 'EXTRA=theirs')
    await scene.quiet(QUIET_MS)
    await operator.close()
    operator = await scene.start()
    await scene.until('a start', async () => (operator.ready ? true : undefined))
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
    assert.match(await read('deployment/main-sink-file', '{.spec.template.spec.containers[0].env}'), /EXTRA/)
  })

  test('a rotated key restarts the pod of its sink and not the gateway pods', async () => {
    const annotation = '{.spec.template.metadata.annotations}'
    const [sink, pods] = [
      await read('deployment/main-sink-rest', annotation),
      await read('deployment/main', '{.metadata.generation}'),
    ]
    await scene.apply(secret('rest', { key: 'rotated' }))
    await scene.untilTrue('a new template', async () => (await read('deployment/main-sink-rest', annotation)) !== sink)
    assert.equal(await read('deployment/main', '{.metadata.generation}'), pods)
  })

  test('a template with an unresolved reference is not applied, and its pods run on', async () => {
    await scene.inNamespace('delete', 'secret', 'rest')
    await says(
      'main',
      /ResolvedRefs=False\/SecretNotFound record\.sinks\.rest\.env \w+: Secret llm\/rest does not exist/,
    )
    await scene.apply(gateway({ ...FULL, replicas: 3, image: 'other:1' }))
    await scene.untilTrue(
      'the gateway has the image',
      async () => (await read('deployment/main', '{..image}')) === 'other:1',
    )
    await scene.quiet(QUIET_MS)
    assert.equal(await read('deployment/main-sink-rest', '{..image}'), 'llm-gateway:test')
    await scene.apply(secret('rest', { key: 'back' }))
    await scene.untilTrue(
      'the sink has the image',
      async () => (await read('deployment/main-sink-rest', '{..image}')) === 'other:1',
    )
  })

  test('a sink without a pod is named once in Ready and an event while calls are served, and causes no write at rest', async () => {
    await scene.apply(gateway(FULL))
    for (const name of ['main', 'main-sink-file', 'main-sink-rest']) {
      // An earlier rollout belongs to an older generation by then.
      await scene.untilTrue(
        `the image of ${name}`,
        async () => (await read(`deployment/${name}`, '{..image}')) === 'llm-gateway:test',
      )
      await rollOut(name)
    }
    await says('main', /Ready=True\/Ready The gateway serves calls\. /)
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const conditions = [{ type: 'Available', status: 'False', reason: 'Test', message: '', lastTransitionTime }]
    const patch = JSON.stringify({ status: { readyReplicas: 0, availableReplicas: 0, conditions } })
    await scene.inNamespace(
      'patch',
      'deployment',
      'main-sink-file',
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    )
    await says('main', /Ready=True\/Ready The gateway serves calls; sink file has no ready pod\. /)
    await scene.untilTrue('the event is there', async () => {
      const events = await scene.inNamespace('get', 'events', '--field-selector', 'reason=SinkUnavailable')
      return /Warning +SinkUnavailable +llmgateway\/main/.test(events)
    })
    await scene.quiet(QUIET_MS)
    assert.deepEqual(await scene.quiet(QUIET_MS), [])
    await rollOut('main-sink-file')
    await says('main', /Ready=True\/Ready The gateway serves calls\. /)
  })

  test('Ready tells why a gateway has no pods', async () => {
    const { metadata } = await scene.get('deployment', 'main')
    const [available, refused] = ['Available', 'ReplicaFailure'].map((type) => ({ type, reason: 'Test', message: '' }))
    const conditions = [
      { ...available, status: 'False' },
      { ...refused, status: 'True' },
    ]
    const status = { observedGeneration: metadata.generation, readyReplicas: 0, availableReplicas: 0, conditions }
    const patched = ['--subresource=status', '--type=merge', '-p']
    await scene.inNamespace('patch', 'deployment', 'main', ...patched, JSON.stringify({ status }))
    await says('main', /Ready=False\/DeploymentUnavailable Too few gateway pods are ready\. Pods can not be created/)
    await scene.makePod('main', 'main-0')
    const place = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }
    await scene.inNamespace('patch', 'pod', 'main-0', ...patched, JSON.stringify({ status: place }))
    await says('main', /Ready=False\/DeploymentUnavailable Too few gateway pods are ready\. A pod can not be scheduled/)
    const state = { waiting: { reason: 'ImagePullBackOff' } }
    const container = { name: 'gateway', image: 'i', imageID: '', ready: false, restartCount: 0, state }
    const image = { conditions: [{ type: 'PodScheduled', status: 'True' }], containerStatuses: [container] }
    await scene.inNamespace('patch', 'pod', 'main-0', ...patched, JSON.stringify({ status: image }))
    await says('main', /Ready=False\/DeploymentUnavailable Too few gateway pods are ready\. The image of a pod can/)
    await scene.inNamespace('delete', 'pod', 'main-0', '--force')
  })

  test('the status names the fields of an object that the API server refuses, and no value', async () => {
    const resources = { requests: { memory: '9876Mi' }, limits: { memory: '64Mi' } }
    await scene.apply(gateway({ ...FULL, pod: { ...FULL.pod, resources } }))
    const field =
      /ApplyFailed The API server refused changes of Deployment main: Invalid \(spec\.template\.spec\.[^)]*requests\)/
    await says('main', field)
    assert.doesNotMatch(await read('llmgateway/main', '{.status}'), /9876/)
    await scene.apply(gateway(FULL))
    await scene.untilTrue('the write', async () => !/ApplyFailed/.test(await read('llmgateway/main', '{.status}')))
  })

  test('the objects of a sink that was removed from the resource are deleted, those of the other sink stay', async () => {
    await scene.apply(gateway({ ...FULL, record: { sinks: { rest: SINKS.rest } } }))
    await scene.untilTrue('no Deployment', async () => !(await scene.isThere('deployment/main-sink-file')))
    await scene.untilTrue('no ConfigMap', async () => !(await scene.isThere('configmap/main-sink-file')))
    assert.equal(await scene.isThere('deployment/main-sink-rest'), true)
  })

  test('a removed bus and its token are deleted once no pod of the old template is left', async () => {
    const external = {
      type: 'External',
      servers: ['nats.bus.svc:4222'],
      tokenSecretRef: { name: 'nats', key: 'token' },
    }
    const bus = [
      'statefulset/main-bus',
      'service/main-bus',
      'configmap/main-bus',
      'networkpolicy/main-bus',
      'secret/main-bus-token',
    ]
    await rollOut()
    await scene.quiet(QUIET_MS)
    await scene.apply(gateway({ ...FULL, bus: external }))
    await scene.untilTrue('the new template', async () =>
      (await read('deployment/main', '{..env}')).includes('"name":"nats"'),
    )
    await scene.quiet(QUIET_MS)
    for (const one of bus) assert.equal(await scene.isThere(one), true, one)
    await rollOut()
    for (const one of bus) await scene.untilTrue(`${one} is gone`, async () => !(await scene.isThere(one)))
    assert.equal(await scene.isThere('secret/nats'), true)
  })

  test("an object with our labels that the gateway doesn't own is not pruned", async () => {
    const { labels } = (await scene.get('service', 'main')).metadata
    const metadata = { name: 'theirs', namespace: 'llm', labels }
    await scene.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
    await scene.apply(gateway({ ...FULL, replicas: 4 }))
    await scene.untilTrue(
      'an edit took effect',
      async () => (await read('deployment/main', '{.spec.replicas}')) === '4',
    )
    await scene.quiet(QUIET_MS)
    assert.equal(await scene.isThere('configmap/theirs'), true)
  })

  test('a gateway takes over no existing object of its names, whatever the kind, and names the object in its status', async () => {
    const metadata = (name: string) => ({ name, namespace: 'llm', labels: { theirs: 'yes' } })
    const template = {
      metadata: { labels: { theirs: 'yes' } },
      spec: { containers: [{ name: 'theirs', image: 'theirs' }] },
    }
    const pods = { selector: { matchLabels: { theirs: 'yes' } }, template }
    const theirs: readonly (readonly [string, string, string, object])[] = [
      ['v1', 'Secret', 'taken-bus-token', {}],
      ['v1', 'ServiceAccount', 'taken', {}],
      ['v1', 'Service', 'taken', { spec: { ports: [{ port: 80 }] } }],
      ['v1', 'ConfigMap', 'taken-bus', {}],
      ['apps/v1', 'StatefulSet', 'taken-bus', { spec: { serviceName: 'a', ...pods } }],
      ['apps/v1', 'Deployment', 'taken', { spec: pods }],
      ['policy/v1', 'PodDisruptionBudget', 'taken', { spec: { maxUnavailable: 2, selector: {} } }],
      ['networking.k8s.io/v1', 'NetworkPolicy', 'taken', { spec: { podSelector: {}, policyTypes: ['Ingress'] } }],
    ]
    const name = ([, kind, own]: (typeof theirs)[number]) => `${kind.toLowerCase()}/${own}`
    for (const [apiVersion, kind, own, more] of theirs) {
      await scene.apply({ apiVersion, kind, metadata: metadata(own), ...more })
    }
    const versionOf = (one: (typeof theirs)[number]) => read(name(one), '{.metadata.resourceVersion}')
    const before = await Promise.all(theirs.map(versionOf))
    await scene.apply(gateway({ replicas: 0 }, 'taken'))
    await says('taken', /Accepted=False\/NameConflict [^\n]*Secret taken-bus-token/)
    await scene.inNamespace('delete', 'secret', 'taken-bus-token')
    for (const [, kind, own] of theirs.slice(1)) {
      await says('taken', new RegExp(`Accepted=False/NameConflict [^\\n]*${kind} ${own}`))
    }
    for (const [index, one] of theirs.slice(1).entries()) {
      assert.equal(await versionOf(one), before[index + 1], name(one))
      await scene.inNamespace('delete', name(one))
    }
    await says('taken', /Accepted=True/)
    await scene.inNamespace('delete', 'llmgateway', 'taken')
  })

  test('the operator deletes no object of a paused gateway', async () => {
    await scene.inNamespace('annotate', 'llmgateway', 'main', 'llmgateway.io/paused=true')
    await says('main', /Accepted=False\/Paused/)
    await scene.apply(gateway({ ...FULL, record: {} }))
    await scene.quiet(QUIET_MS)
    assert.equal(await scene.isThere('deployment/main-sink-rest'), true)
    await scene.inNamespace('annotate', 'llmgateway', 'main', 'llmgateway.io/paused-')
    await scene.untilTrue('the gateway goes on', async () => !(await scene.isThere('deployment/main-sink-rest')))
  })

  test('a gateway of another class belongs to another operator, and its class never changes', async () => {
    await scene.apply(gateway({ class: 'theirs' }, 'other'))
    await scene.apply({ ...gateway({ replicas: 1 }, 'last') })
    await scene.untilTrue('the next one', () => scene.isThere('deployment/last'))
    assert.equal(await scene.isThere('configmap/other-config'), false)
    assert.equal(await read('llmgateway/other', '{.status}'), '{"observedGeneration":-1}')
    await assert.rejects(scene.apply(gateway({ class: 'default' }, 'other')), /is immutable/)
  })
})
