import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadata, type KubeClient, Store, type Stored } from '@llm-gateway/kube'
import { controllerUid } from '../kube/cluster-state.ts'
import { decodeGateway } from '../kube/decode-resource.ts'
import { ownedMetadata } from '../model/kube-object.ts'
import { createPruner, type PruneResult } from './prune.ts'
import { unwantedObjects } from './unwanted-objects.ts'

const MOMENT = { rolledOut: true, settled: true, everywhere: true }

test('objects of others cost a pass nothing, however many there are', async () => {
  const gateway = decodeGateway({ metadata: { name: 'main', namespace: 'llm', uid: 'u' }, spec: {} })
  assert.ok(gateway)
  const store = new Store<Stored>({ indexBy: controllerUid })
  let reads = 0
  for (let index = 0; index < 100; index += 1) {
    const foreign = decodeMetadata({ metadata: { name: `foreign-${index}`, namespace: 'team', uid: `${index}` } })
    assert.ok(foreign)
    const { labels, ...metadata } = foreign.metadata
    const counted = {
      ...metadata,
      get labels() {
        reads += 1
        return labels
      },
    }
    store.put({ metadata: counted })
  }
  const owned = { ...ownedMetadata(gateway.metadata, 'main-old', 'gateway'), uid: 'old', resourceVersion: '1' }
  const stored = decodeMetadata({ metadata: owned })
  assert.ok(stored)
  store.put(stored)
  const unwanted = unwantedObjects(gateway, { objects: [], withheld: [] }, new Map([['ConfigMap', store]]))
  assert.deepEqual(
    unwanted.map(({ place }) => place.name),
    ['main-old'],
  )
  assert.equal(reads, 0)
})

test('the ConfigMap of a removed sink stays until its pod has ended and its consumer is gone', async () => {
  const metadata = {
    name: 'main',
    namespace: 'llm',
    uid: 'u',
    generation: 1,
    creationTimestamp: '2026-11-21T01:00:00Z',
  }
  const gateway = decodeGateway({ metadata, spec: {} })
  assert.ok(gateway)
  const stores = new Map(
    ['Deployment', 'ConfigMap'].map((kind) => [kind, new Store<Stored>({ indexBy: controllerUid })]),
  )
  for (const [kind, store] of stores) {
    const owned = { ...ownedMetadata(gateway.metadata, 'main-sink-file', 'sink'), uid: kind, resourceVersion: '1' }
    const stored = decodeMetadata({ kind, metadata: owned })
    assert.ok(stored)
    store.put(stored)
  }
  const removed: string[] = []
  const remove: KubeClient['remove'] = async (place) => {
    removed.push(`${place.kind} ${place.name}`)
    return { kind: 'written', object: {} }
  }
  const never = () => Promise.reject(new Error('not asked for'))
  let isReleased = false
  let now = 0
  const asked: string[] = []
  const pruner = createPruner({
    client: { remove, get: never, apply: never, create: never, merge: never },
    metadata: stores,
    consumers: {
      release: (_, name) => {
        asked.push(name)
        return isReleased
      },
    },
    clock: () => now,
  })
  const translation = { objects: [], withheld: [] }
  const prune = (): Promise<PruneResult> => pruner.prune(gateway, translation, MOMENT)
  assert.deepEqual(await prune(), { failures: [], againMs: 40_000 })
  assert.deepEqual(removed, ['Deployment main-sink-file'])
  now = 40_000
  assert.deepEqual(await prune(), { failures: [], againMs: 10_000 })
  assert.deepEqual([removed.length, asked], [1, ['main-sink-file']])
  isReleased = true
  now = 50_000
  assert.deepEqual(await prune(), { failures: [], againMs: undefined })
  assert.deepEqual(removed, ['Deployment main-sink-file', 'ConfigMap main-sink-file'])
})
