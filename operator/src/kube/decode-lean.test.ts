import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { createTransport, type Stored } from '@llm-gateway/kube'
import { type Act, answer, startScriptedServer, watch } from '@llm-gateway/kube/scripted-server-under-test'
import { appliedObjects } from '../translate/golden-under-test.ts'
import { contains } from '../write/contains.ts'
import { type ClusterState, watchCluster } from './cluster-state.ts'
import { decodeLean, decodeNamespace, MOST_NAMESPACE_LABELS } from './decode-lean.ts'

// Rules: docs/reference/kubernetes.md#operator

const LIMIT = { timeout: 120_000 }
/** The bytes of each filling; with all of them an object is about as large as etcd takes. */
const FILLING = 128 * 1024
const OWNER = { kind: 'LLMGateway', name: 'main', uid: 'u', controller: true }

/** The labels and annotations that the operator reads of its own objects, or compares with those it wants. */
const LABELS = {
  'app.kubernetes.io/name': 'llm-gateway',
  'app.kubernetes.io/instance': 'main',
  'app.kubernetes.io/component': 'processor',
  'app.kubernetes.io/managed-by': 'llm-gateway-operator',
  'llmgateway.io/gateway': 'main',
  'llmgateway.io/processor': 'pool',
}
const ANNOTATIONS = { 'llmgateway.io/applied': 'a'.repeat(64), 'llmgateway.io/config': 'b'.repeat(64) }

/** Returns as many different entries as a filling has room for. */
function filling(prefix: string): Readonly<Record<string, string>> {
  const value = 'x'.repeat(50)
  return Object.fromEntries(Array.from({ length: FILLING / 64 }, (_, i) => [`${prefix}${i}`, value]))
}

function filledObject(namespace: string): object {
  const owners = Array.from({ length: FILLING / 64 }, (_, i) => ({ kind: 'Pod', name: `p${i}`, uid: `other-${i}` }))
  const long = { 'llmgateway.io/nats-server': 'x'.repeat(FILLING) }
  const metadata = {
    name: 'a',
    namespace,
    uid: `${namespace}-a`,
    resourceVersion: '5',
    labels: { ...filling('x'), ...LABELS, ...filling('llmgateway.io/x') },
    annotations: { ...filling('x'), ...ANNOTATIONS, ...filling('llmgateway.io/x'), ...long },
    ownerReferences: [...owners, OWNER],
    managedFields: [{ manager: 'kubectl', fieldsV1: filling('f:x') }],
  }
  return { metadata, spec: { template: { spec: { containers: [{ name: 'bus', image: 'x'.repeat(FILLING) }] } } } }
}

/** Fills the caches with one such object of each kind. */
async function filledCaches(watchNamespaces: readonly string[]) {
  const act: Act = (response, request) => {
    const url = request.url ?? ''
    if (url.includes('watch=1')) return watch([], 'stay')(response, request)
    if (/\/namespaces\/[^/?]+$/.test(url)) return answer(200, filledObject(''))(response, request)
    answer(200, { items: [filledObject('llm')], metadata: { resourceVersion: '5' } })(response, request)
  }
  const server = await startScriptedServer([act])
  const transport = createTransport({ access: server.access })
  const logger = createLogger({ service: 'test', write: () => undefined })
  const state = watchCluster({ transport, logger, gatewayClass: 'llm-gateway', watchNamespaces, binds: true })
  await state.synced
  return {
    state,
    [Symbol.asyncDispose]: async () => {
      await state.close()
      await transport.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

type Objects = { readonly objects: ReadonlyMap<string, Stored> }

function cachesOf(state: ClusterState): ReadonlyMap<string, Objects> {
  const { namespaces, pods, processorPods, deployments, buses, replicaSets, metadata } = state
  const others: Readonly<Record<string, Objects>> = {
    namespaces,
    pods,
    processorPods,
    deployments,
    buses,
    replicaSets,
  }
  return new Map([...metadata, ...Object.entries(others)])
}

for (const watchNamespaces of [[], ['llm']]) {
  const which = watchNamespaces.length === 0 ? 'the whole cluster' : 'one namespace'
  test(`the caches of ${which} keep of labels, annotations and owners only those that are read`, LIMIT, async () => {
    await using caches = await filledCaches(watchNamespaces)
    for (const [name, { objects }] of cachesOf(caches.state)) {
      const [stored] = objects.values()
      assert.ok(stored !== undefined, name)
      const length = JSON.stringify(stored).length
      assert.ok(length < 2_048, `${name}: ${length}`)
      if (name === 'namespaces') continue
      const { labels, annotations, ownerReferences } = stored.metadata
      assert.deepEqual([labels, annotations], [LABELS, ANNOTATIONS], name)
      assert.deepEqual(ownerReferences, [{ uid: 'u', controller: true }], name)
    }
  })
}

test('the caches keep all labels, annotations and owners with which our objects are compared', () => {
  const folder = join(import.meta.dirname, '../../testdata')
  const inputs = globSync('**/*.in.yaml', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
  const objects = inputs.flatMap(appliedObjects)
  assert.ok(objects.length > 200)
  for (const { kind, metadata } of objects) {
    const { labels, annotations = {}, ownerReferences } = metadata
    // The annotations of a Service are those of its LLMGateway; a Service is read before it is compared.
    const ours = Object.entries(annotations).filter(([name]) => kind !== 'Service' || name.startsWith('llmgateway.io/'))
    const lean = decodeLean({ metadata })?.metadata
    assert.ok(contains(lean, { labels, annotations: Object.fromEntries(ours) }), `${kind} ${metadata.name}`)
    assert.equal(lean?.ownerReferences[0]?.uid, ownerReferences[0]?.uid)
  }
})

test('a namespace keeps all its labels, or none and a mark where they are too long', () => {
  const namespace = (length: number) =>
    decodeNamespace({
      metadata: { name: 'n', uid: 'n', labels: { team: 'a', padding: 'x'.repeat(length - 'teamapadding'.length) } },
    })
  const whole = namespace(MOST_NAMESPACE_LABELS)
  assert.deepEqual([whole?.metadata.labels.team, whole?.unreadable], ['a', undefined])
  const long = namespace(MOST_NAMESPACE_LABELS + 1)
  assert.deepEqual([long?.metadata.labels, long?.unreadable], [{}, { isKept: false, generation: 0 }])
})

test('an owner that is no controller, and one with an uid without an end, control nothing', () => {
  const ownersOf = (ownerReferences: readonly object[]) =>
    decodeLean({ metadata: { name: 'a', ownerReferences } })?.metadata.ownerReferences
  assert.deepEqual(ownersOf([{ uid: 'a' }, { uid: 'b', controller: false }]), [])
  assert.deepEqual(ownersOf([{ uid: 'x'.repeat(100_000), controller: true }]), [])
})
