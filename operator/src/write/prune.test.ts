import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadata, type KubeClient, Store, type Stored } from '@llm-gateway/kube'
import { decodeGateway } from '../kube/decode-resource.ts'
import { ownedMetadata } from '../model/kube-object.ts'
import { createPruner, type PruneResult } from './prune.ts'

const MOMENT = { rolledOut: true, settled: true, everywhere: true }

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
  const stores = new Map(['Deployment', 'ConfigMap'].map((kind) => [kind, new Store<Stored>()]))
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
