import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadata, type KubeClient, Store, type Stored } from '@llm-gateway/kube'
import { createSourceReader } from './source-reader.ts'

// Rules: docs/reference/kubernetes.md#variables

const PLACE = { kind: 'Secret', namespace: 'llm', name: 's' } as const
const SECRET = {
  kind: 'Secret',
  metadata: { namespace: 'llm', name: 's', uid: 'u', resourceVersion: '7' },
  data: { k: Buffer.from('text').toString('base64') },
}

/** Makes a reader of a cluster whose Secret can be taken away; counts its reads. */
function scene() {
  const cluster: { secret: object | undefined; reads: number } = { secret: SECRET, reads: 0 }
  const seen = new Store<Stored>()
  const refused = async () => ({ kind: 'refused', status: 405, code: 'MethodNotAllowed' }) as const
  const client: KubeClient = {
    get: async () => {
      cluster.reads += 1
      return cluster.secret === undefined ? undefined : { kind: 'written', object: cluster.secret }
    },
    apply: refused,
    create: refused,
    merge: refused,
    remove: refused,
  }
  const reader = createSourceReader(client, new Map([['Secret', seen]]))
  const kindOf = async (afresh: boolean) => (await reader.read(PLACE, afresh)).kind
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
