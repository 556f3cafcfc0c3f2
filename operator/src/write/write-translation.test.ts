import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { llmGatewaySchema, objectMetaSchema } from '@llm-gateway/crds'
import {
  isObject,
  type KubeClient,
  type ObjectReference,
  Store,
  type Stored,
  valueAt,
  type WriteOutcome,
} from '@llm-gateway/kube'
import { controllerUid } from '../kube/cluster-state.ts'
import { translate } from '../translate/translate.ts'
import { createApplier } from './applier.ts'
import { createPruner } from './prune.ts'
import { createValuesSecret } from './values-secret.ts'
import { createWriter } from './write-translation.ts'

// Rules: docs/reference/kubernetes.md#delivery, docs/reference/kubernetes.md#ownership

const gateway = llmGatewaySchema.parse({
  metadata: { name: 'main', namespace: 'llm', uid: 'u', generation: 1 },
  spec: {},
})
const translation = translate({
  gateway,
  otherGateways: [],
  routers: [],
  processors: [],
  processorDeployments: new Map(),
  liveCallPoints: [],
  namespaces: new Map(),
  sources: new Map(),
  defaultImage: 'i',
  operatorNamespace: 'llm-gateway-system',
})

function place({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace}/${name}`
}

/** Makes a client that keeps objects by place, as the API server does, and records the order of writes. */
function memoryClient(objects = new Map<string, object>()) {
  const writes: string[] = []
  let version = 0
  const write = (at: ObjectReference, object: unknown): WriteOutcome => {
    version += 1
    const given = isObject(object) ? object : {}
    const metadata = isObject(given.metadata) ? given.metadata : {}
    const written = { ...given, metadata: { uid: place(at), ...metadata, resourceVersion: String(version) } }
    objects.set(place(at), written)
    writes.push(place(at))
    return { kind: 'written', object: written }
  }
  const client: KubeClient = {
    get: async (at) => {
      const object = objects.get(place(at))
      return object === undefined ? undefined : { kind: 'written', object }
    },
    apply: async (at, object) => write(at, object),
    create: async (at, object) => write(at, object),
    merge: async (at, object) => write(at, object),
    remove: async () => ({ kind: 'refused', status: 405, code: 'MethodNotAllowed' }),
  }
  return { client, writes, objects }
}

function emptyCaches(): ReadonlyMap<string, Store<Stored>> {
  const kinds = [
    'Secret',
    'ConfigMap',
    'Service',
    'ServiceAccount',
    'PodDisruptionBudget',
    'StatefulSet',
    'Deployment',
    'NetworkPolicy',
  ]
  return new Map(kinds.map((kind) => [kind, new Store<Stored>({ indexBy: controllerUid })]))
}

function writerOf({ client }: Pick<ReturnType<typeof memoryClient>, 'client'>, metadata = emptyCaches()) {
  const secrets = metadata.get('Secret') ?? new Store<Stored>()
  return createWriter({
    applier: createApplier({ client, metadata }),
    values: createValuesSecret(client, secrets),
    generated: { client, metadata: secrets, randomText: () => 'token' },
    pruner: createPruner({ client, metadata, consumers: undefined, clock: () => 0 }),
  })
}

test('an object that is deleted before the answer to its write comes is written again', async () => {
  const memory = memoryClient()
  const metadata = emptyCaches()
  /** Lets the watch bring the deletion of an object before the answer to its write. */
  const overtaken = async (at: ObjectReference, written: WriteOutcome): Promise<WriteOutcome> => {
    const { resourceVersion } = objectMetaSchema.parse(valueAt(memory.objects.get(place(at)), 'metadata'))
    const deleted = { ...at, resourceVersion: String(Number(resourceVersion) + 1) }
    memory.objects.delete(place(at))
    metadata.get(at.kind)?.delete({ metadata: objectMetaSchema.parse(deleted) })
    return written
  }
  const client: KubeClient = {
    ...memory.client,
    apply: async (at, object) => overtaken(at, await memory.client.apply(at, object)),
    create: async (at, object) => overtaken(at, await memory.client.create(at, object)),
  }
  const writer = writerOf({ client }, metadata)
  const next = { ...translation, values: new Map([['V_0', 'x']]) }
  for (let count = 0; count < 2; count += 1) {
    memory.writes.splice(0)
    await writer.writeConfig(gateway, next)
    await writer.writeObjects(gateway, next)
    assert.deepEqual(memory.writes, ALL_WRITES)
  }
  assert.deepEqual(
    [...metadata.values()].flatMap(({ objects }) => [...objects.keys()]),
    [],
  )
})

const ALL_WRITES = [
  'Secret llm/main-values',
  'ConfigMap llm/main-config',
  'Secret llm/main-bus-token',
  ...translation.objects.map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace}/${name}`),
]

test('values are written before the configuration that needs them', async () => {
  const memory = memoryClient()
  const writer = writerOf(memory)
  const written = await writer.writeConfig(gateway, { ...translation, values: new Map([['V_0', 'x']]) })
  assert.deepEqual(memory.writes, ['Secret llm/main-values', 'ConfigMap llm/main-config'])
  assert.deepEqual(written, { valuesRevision: '1', configured: true, nameConflicts: [], failures: [] })
})

test('a file that is too large for any ConfigMap is not written, nor are its values', async () => {
  const memory = memoryClient()
  const written = await writerOf(memory).writeConfig(gateway, { ...translation, fits: false })
  assert.deepEqual(memory.writes, [])
  assert.deepEqual(written, { valuesRevision: '0', configured: false, nameConflicts: [], failures: [] })
})

test('an up-to-date object is not written again, not even by another process', async () => {
  const memory = memoryClient()
  const writer = writerOf(memory)
  await writer.writeConfig(gateway, translation)
  await writer.writeObjects(gateway, translation)
  const before = memory.writes.length
  assert.ok(before >= 9)
  for (const again of [writer, writerOf(memory)]) await again.writeConfig(gateway, translation)
  await writer.writeObjects(gateway, translation)
  assert.equal(memory.writes.length, before)
})

test('labels and owners that others add to our objects enter no cache with the answers to our writes', async () => {
  const { client } = memoryClient()
  const caches = emptyCaches()
  const reads: string[] = []
  const padded = (outcome: WriteOutcome): WriteOutcome => {
    if (outcome.kind === 'refused' || !isObject(outcome.object) || !isObject(outcome.object.metadata)) return outcome
    const { labels, annotations, ownerReferences, ...rest } = objectMetaSchema.parse(outcome.object.metadata)
    const padding = { padding: 'x'.repeat(100_000), 'llmgateway.io/padding': 'x'.repeat(100_000) }
    const metadata = {
      ...rest,
      labels: { ...labels, ...padding },
      annotations: { ...annotations, ...padding },
      ownerReferences: [...ownerReferences, { uid: 'x'.repeat(100_000) }],
    }
    return { kind: 'written', object: { ...outcome.object, metadata } }
  }
  const others: KubeClient = {
    ...client,
    apply: async (...call) => padded(await client.apply(...call)),
    create: async (...call) => padded(await client.create(...call)),
    get: (at) => {
      reads.push(place(at))
      return client.get(at)
    },
  }
  const writer = writerOf({ client: others }, caches)
  const write = async () => {
    await writer.writeConfig(gateway, { ...translation, values: new Map([['V_0', 'x']]) })
    await writer.writeObjects(gateway, translation)
  }
  await write()
  const objects = [...caches.values()].flatMap((store) => [...store.objects.values()])
  assert.ok(objects.length >= 10)
  for (const object of objects) assert.ok(JSON.stringify(object).length < 2_048, object.metadata.name)
  const before = reads.length
  await write()
  assert.deepEqual(reads.slice(before), [], 'all objects are known from the caches')
})

test('a foreign object with the name of an own object is left alone and named', async () => {
  const theirs = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: objectMetaSchema.parse({ name: 'main', namespace: 'llm' }),
  }
  const memory = memoryClient(new Map([['Service llm/main', theirs]]))
  const { nameConflicts } = await writerOf(memory).writeObjects(gateway, translation)
  assert.deepEqual(nameConflicts, [{ kind: 'Service', name: 'main' }])
  assert.equal(memory.objects.get('Service llm/main'), theirs)
})

test('a foreign values Secret stops the configuration too', async () => {
  const theirs = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'main-values', namespace: 'llm', uid: 'x' } }
  const memory = memoryClient(new Map([['Secret llm/main-values', theirs]]))
  const written = await writerOf(memory).writeConfig(gateway, translation)
  assert.deepEqual([written.configured, written.nameConflicts], [false, [{ kind: 'Secret', name: 'main-values' }]])
  assert.deepEqual(memory.writes, [])
})

test('a configuration above the limit is packed', async () => {
  const memory = memoryClient()
  const applier = createApplier({ client: memory.client, metadata: new Map(), packAboveBytes: 10 })
  const owned = { name: 'c', namespace: 'llm', labels: {}, ownerReferences: [] }
  await applier.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: owned,
    data: { 'gl_config.json': 'x'.repeat(11) },
  })
  const written = memory.objects.get('ConfigMap llm/c')
  assert.match(JSON.stringify(written), /"binaryData":\{"gl_config.json":"H4sI/)
  assert.doesNotMatch(JSON.stringify(written), /"data"/)
})

test('a packed configuration is not written again where only the bytes of its packing differ', async () => {
  const memory = memoryClient()
  const applied = () => createApplier({ client: memory.client, metadata: new Map(), packAboveBytes: 10 })
  const owned = { name: 'c', namespace: 'llm', labels: {}, ownerReferences: [] }
  const text = 'router '.repeat(99)
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data: { 'gl_config.json': text } } as const
  await applied().apply(object)
  const stored = memory.objects.get('ConfigMap llm/c')
  const keep = (packed: Buffer) =>
    memory.objects.set('ConfigMap llm/c', { ...stored, binaryData: { 'gl_config.json': packed.toString('base64') } })
  // Another build of the operator, or another processor, packs the same text to other bytes.
  const others = gzipSync(text, { level: 0 })
  assert.notDeepEqual(others, gzipSync(text))
  keep(others)
  assert.deepEqual(await applied().apply(object), { kind: 'unchanged' })
  for (const broken of [gzipSync('another text'), others.subarray(0, 20)]) {
    keep(broken)
    assert.deepEqual(await applied().apply(object), { kind: 'applied' })
  }
})

test('others have their turns of the event loop while a configuration is packed and unpacked', async () => {
  const memory = memoryClient()
  const passed: string[] = []
  /** Makes a client that notes whether a turn passes between a call and its next one. */
  const noting: KubeClient = {
    ...memory.client,
    get: async (place) => {
      setImmediate(() => passed.push('turn'))
      return memory.client.get(place)
    },
    apply: async (...call) => {
      passed.push('apply')
      return memory.client.apply(...call)
    },
  }
  const owned = { name: 'c', namespace: 'llm', labels: {}, ownerReferences: [] }
  const apply = async (text: string) => {
    const applier = createApplier({ client: noting, metadata: new Map(), packAboveBytes: 10 })
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data: { 'gl_config.json': text } } as const
    passed.push((await applier.apply(object)).kind)
  }
  await apply('router '.repeat(99))
  await apply('router '.repeat(99))
  assert.deepEqual(passed, ['turn', 'apply', 'applied', 'turn', 'unchanged'])
})
