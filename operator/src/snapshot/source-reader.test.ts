import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadata, type KubeClient, Store, type Stored } from '@llm-gateway/kube'
import { sourceKey } from '../model/snapshot.ts'
import { createSourceReader, type SourceReference } from './source-reader.ts'

// Rules: docs/reference/kubernetes.md#variables

const PLACE = { kind: 'Secret', namespace: 'llm', name: 's' } as const
const SECRET = {
  kind: 'Secret',
  metadata: { namespace: 'llm', name: 's', uid: 'u', resourceVersion: '7' },
  data: { k: Buffer.from('text').toString('base64') },
}

/** Makes a client that reads and can't write. */
function reading(get: KubeClient['get']): KubeClient {
  const refused = async () => ({ kind: 'refused', status: 405, code: 'MethodNotAllowed' }) as const
  return { get, apply: refused, create: refused, merge: refused, remove: refused }
}

/** Makes a reader of a cluster whose Secret can be taken away; counts its reads. */
function scene() {
  const cluster: { secret: object | undefined; reads: number } = { secret: SECRET, reads: 0 }
  const seen = new Store<Stored>()
  const client = reading(async () => {
    cluster.reads += 1
    return cluster.secret === undefined ? undefined : { kind: 'written', object: cluster.secret }
  })
  const reader = createSourceReader(client, new Map([['Secret', seen]]))
  const key = sourceKey(PLACE.namespace, PLACE.kind, PLACE.name)
  const kindOf = async (afresh: boolean) =>
    (await reader.read('llm/main', new Map([[key, { place: PLACE, afresh }]]))).get(key)?.kind
  return { cluster, seen, kindOf }
}

test('a Secret that was read before the watch brought it stays found until it is gone', async () => {
  const { cluster, seen, kindOf } = scene()
  assert.equal(await kindOf(true), 'found')
  assert.equal(await kindOf(false), 'found')
  const metadata = decodeMetadata(SECRET)
  assert.ok(metadata)
  seen.put(metadata)
  const { reads } = cluster
  assert.equal(await kindOf(false), 'found')
  assert.equal(cluster.reads, reads, 'what the watch has brought is not read again')
  cluster.secret = undefined
  seen.delete(metadata)
  assert.equal(await kindOf(false), 'missing')
})

test('a Secret that the watch does not know and nobody read counts as missing without a read', async () => {
  const { cluster, kindOf } = scene()
  assert.equal(await kindOf(false), 'missing')
  cluster.secret = undefined
  assert.equal(await kindOf(true), 'missing')
  assert.equal(await kindOf(false), 'missing')
  assert.equal(cluster.reads, 1)
})

test('few sources are read at once, and a namespace with thousands of names leaves reads to others', async () => {
  const places = ['crowd', 'crowd', 'crowd', 'other'].flatMap((namespace, part) =>
    Array.from(
      { length: 100 },
      (_, index): SourceReference => ({ kind: 'Secret', namespace, name: `s${part}-${index}` }),
    ),
  )
  const running = new Map<string, number>()
  const most = { all: 0, crowd: 0, besideOthers: 0 }
  const client = reading(async ({ namespace }) => {
    running.set(namespace, (running.get(namespace) ?? 0) + 1)
    const [crowd, other] = [running.get('crowd') ?? 0, running.get('other') ?? 0]
    most.all = Math.max(most.all, crowd + other)
    most.crowd = Math.max(most.crowd, crowd)
    most.besideOthers = Math.max(most.besideOthers, other)
    await new Promise((resolve) => setImmediate(resolve))
    running.set(namespace, (running.get(namespace) ?? 0) - 1)
    return undefined
  })
  const wanted = new Map(
    places.map((place) => [sourceKey(place.namespace, place.kind, place.name), { place, afresh: true }]),
  )
  const read = await createSourceReader(client, new Map()).read('llm/main', wanted)
  assert.deepEqual([read.size, read.get('crowd/Secret/s2-99')], [400, { kind: 'missing' }])
  assert.deepEqual(most, { all: 32, crowd: 16, besideOthers: 16 })
})
