import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadata, type KubeClient, Store, type Stored, TransportError } from '@llm-gateway/kube'
import { TOO_LONG } from '../kube/decode.ts'
import { sourceKey } from '../model/snapshot.ts'
import { createSourceReader, MOST_CHARACTERS } from './source-reader.ts'
import type { SourceReference, WantedSource } from './wanted-sources.ts'

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
  const sourceOf = async (afresh: boolean) => {
    const one = { place: PLACE, afresh, keys: new Map([['k', 100]]), own: new Set<string>() }
    return (await reader.read('llm/main', new Map([[key, one]]))).get(key)
  }
  const kindOf = async (afresh: boolean) => (await sourceOf(afresh))?.kind
  return { cluster, seen, sourceOf, kindOf }
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

test('a source that is read afresh without a change stays the same object, so that verdicts on it stand', async () => {
  const { cluster, sourceOf } = scene()
  const first = await sourceOf(true)
  assert.equal(first?.kind, 'found')
  assert.ok((await sourceOf(true)) === first)
  const { metadata } = SECRET
  cluster.secret = { ...SECRET, metadata: { ...metadata, resourceVersion: '8' } }
  assert.ok((await sourceOf(true)) !== first)
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
  const wanted = wantedOf(places.map((place) => ({ place, afresh: true, keys: new Map([['k', 100]]), own: new Set() })))
  const read = await createSourceReader(client, new Map()).read('llm/main', wanted)
  assert.deepEqual([read.size, read.get('crowd/Secret/s2-99')], [400, { kind: 'missing' }])
  assert.deepEqual(most, { all: 32, crowd: 16, besideOthers: 16 })
})

function wantedOf(sources: readonly WantedSource[]): ReadonlyMap<string, WantedSource> {
  return new Map(sources.map((one) => [sourceKey(one.place.namespace, one.place.kind, one.place.name), one]))
}

/**
 * Makes a reader of a cluster with these ConfigMaps, which the watch has brought; `reads` are the names of its reads. The
 * gateways themselves name the keys of `own`.
 */
function configMaps(texts: ReadonlyMap<string, Readonly<Record<string, string>>>, own: readonly string[] = []) {
  const seen = new Store<Stored>()
  const objectOf = (place: string) => {
    const [namespace, name] = place.split('/')
    return {
      kind: 'ConfigMap',
      metadata: { namespace, name, uid: place, resourceVersion: '7' },
      data: texts.get(place),
    }
  }
  for (const place of texts.keys()) {
    const metadata = decodeMetadata(objectOf(place))
    assert.ok(metadata)
    seen.put(metadata)
  }
  const reads: string[] = []
  const during = { read: async (): Promise<void> => undefined }
  const client = reading(async ({ namespace, name }) => {
    reads.push(`${namespace}/${name}`)
    await during.read()
    return { kind: 'written', object: objectOf(`${namespace}/${name}`) }
  })
  const reader = createSourceReader(client, new Map([['ConfigMap', seen]]))
  const read = async (gateway: string, places: readonly string[], keys: Readonly<Record<string, number>>) => {
    const sources = places.map((place): WantedSource => {
      const [namespace = '', name = ''] = place.split('/')
      const at = { kind: 'ConfigMap', namespace, name } as const
      return { place: at, afresh: false, keys: new Map(Object.entries(keys)), own: new Set(own) }
    })
    const wanted = wantedOf(sources)
    const found = await reader.read(gateway, wanted)
    return [...wanted.keys()].map((key) => {
      const source = found.get(key)
      return source?.kind === 'found' ? Object.fromEntries(source.values) : source?.kind
    })
  }
  return { read, reads, during, reader }
}

test('only named keys of a ConfigMap are held, and a text that is longer than anybody takes is none of them', async () => {
  const { read, reads } = configMaps(
    new Map([['llm/a', { short: 'text', long: 'y'.repeat(101), other: 'z', third: '3' }]]),
  )
  const keys = { short: 100, long: 100, missing: 100 }
  assert.deepEqual(await read('llm/main', ['llm/a'], keys), [{ short: 'text', long: TOO_LONG }])
  assert.deepEqual(await read('llm/main', ['llm/a'], { short: 100 }), [{ short: 'text', long: TOO_LONG }])
  assert.equal(reads.length, 1, 'a key that is no longer named causes no read')
  const more = { short: 100, third: 100 }
  assert.deepEqual(await read('llm/main', ['llm/a'], more), [{ short: 'text', long: TOO_LONG, third: '3' }])
  assert.equal(reads.length, 2)
})

test('the texts of a namespace have a bound for all gateways together, and come back once there is room', async () => {
  const characters = MOST_CHARACTERS / 8 - 100
  const own = Array.from({ length: 9 }, (_, index) => `llm/${index}`)
  const text = 't'.repeat(characters)
  const { read, reads, reader } = configMaps(new Map([...own, 'other/0'].map((place) => [place, { k: text }])))
  const isThere = (found: readonly unknown[]) => found.map((values) => Object(values).k === text)
  const keys = { k: characters }
  assert.deepEqual(
    isThere(await read('llm/one', own.slice(0, 6), keys)),
    Array.from({ length: 6 }, () => true),
  )
  const places = [...own.slice(5), 'other/0']
  assert.deepEqual(isThere(await read('llm/two', places, keys)), [true, true, false, false, true])
  const { length } = reads
  assert.deepEqual(isThere(await read('llm/two', places, keys)), [true, true, false, false, true])
  assert.equal(reads.length, length, 'nothing is read in vain')
  reader.forget('llm/one')
  assert.deepEqual(isThere(await read('llm/two', places, keys)), [true, true, true, true, true])
})

test('a source of which few keys are named any more holds few others, without a read', async () => {
  const all = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, '']))
  const { read, reads } = configMaps(new Map([['llm/a', all]]))
  const most = (count: number) =>
    Object.fromEntries(
      Object.keys(all)
        .map((key) => [key, 100] as const)
        .slice(0, count),
    )
  assert.deepEqual(await read('llm/main', ['llm/a'], most(1_000)), [all])
  assert.deepEqual(await read('llm/main', ['llm/a'], { k7: 100 }), [{ k7: '' }])
  assert.equal(reads.length, 1)
  assert.deepEqual(await read('llm/main', ['llm/a'], most(2)), [{ k0: '', k1: '', k7: '' }])
})

test('keys count with their names, and those that nobody names any more leave before a text does', async () => {
  const long = 't'.repeat(MOST_CHARACTERS / 2)
  const name = 'n'.repeat(MOST_CHARACTERS / 2)
  const { read } = configMaps(
    new Map([
      ['llm/a', { [name]: '', k: 'small', m: 'more' }],
      ['llm/b', { k: long }],
      ['llm/c', { k: long, other: long }],
    ]),
  )
  await read('llm/one', ['llm/a'], { [name]: 100 })
  assert.deepEqual(await read('llm/two', ['llm/b'], { k: long.length }), [{ k: TOO_LONG }])
  assert.deepEqual(await read('llm/one', ['llm/a'], { k: 100 }), [{ k: 'small', [name]: '' }])
  assert.deepEqual(await read('llm/two', ['llm/b'], { k: long.length }), [{ k: TOO_LONG }], 'the name is held')
  assert.deepEqual(await read('llm/one', [], {}), [])
  await read('llm/one', ['llm/c'], { other: long.length })
  const mosts = { k: long.length }
  assert.deepEqual(await read('llm/one', ['llm/c'], mosts), [{ k: long }], 'the other text leaves')
})

test('keys that a gateway itself names find room in a full namespace', async () => {
  const full = 't'.repeat(MOST_CHARACTERS - 200)
  const texts = new Map([
    ['llm/full', { k: full }],
    ['llm/shared', { shared: 'text', k: 'other' }],
    ['llm/own', { shared: 'alone' }],
  ])
  const { read } = configMaps(texts, ['shared'])
  const [first, ...others] = await read('llm/main', [...texts.keys()], { shared: 100, k: full.length })
  assert.ok(Object(first).k === full)
  assert.deepEqual(others, [{ shared: 'text', k: TOO_LONG }, { shared: 'alone' }])
})

test('a source that is read again keeps its room meanwhile, and where the read fails', async () => {
  const text = 't'.repeat(MOST_CHARACTERS * 0.6)
  const { read, during } = configMaps(new Map(['llm/a', 'llm/b'].map((place) => [place, { k: text, more: '' }])))
  const most = { k: text.length }
  const crowded = [{ k: TOO_LONG }]
  await read('llm/one', ['llm/a'], most)
  const others: unknown[] = []
  const readOther = async () => {
    during.read = async () => undefined
    others.push(await read('llm/two', ['llm/b'], most))
  }
  during.read = readOther
  assert.ok(Object((await read('llm/one', ['llm/a'], { ...most, more: 1 }))[0]).k === text)
  during.read = async () => {
    await readOther()
    throw new TransportError('ECONNRESET', undefined)
  }
  assert.deepEqual(await read('llm/one', ['llm/a'], { ...most, more: 2 }), ['failed'])
  await readOther()
  assert.deepEqual(others, [crowded, crowded, crowded])
  assert.ok(Object((await read('llm/one', ['llm/a'], most))[0]).k === text)
})
