import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodeMetadata,
  type KubeClient,
  Store,
  type Stored,
  TransportError,
  type WriteOutcome,
} from '@llm-gateway/kube'
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

const endless = () => new Promise<void>(() => undefined)

function wantedAt(place: SourceReference, more: Partial<WantedSource> = {}): WantedSource {
  return { place, since: 0, awaited: false, keys: new Map([['k', 100]]), own: new Set(), ...more }
}

/** Makes a reader of a cluster whose Secret can be taken away; counts its reads. */
function scene() {
  const cluster: { secret: object | undefined; reads: number } = { secret: SECRET, reads: 0 }
  const seen = new Store<Stored>()
  const client = reading(async () => {
    cluster.reads += 1
    return cluster.secret === undefined ? undefined : { kind: 'written', object: cluster.secret }
  })
  const reader = createSourceReader({ client, metadata: new Map([['Secret', seen]]), patience: endless })
  const key = sourceKey(PLACE.namespace, PLACE.kind, PLACE.name)
  let turn = 0
  const sourceOf = async (afresh: boolean) => {
    turn += 1
    const one = wantedAt(PLACE, { since: afresh ? turn : 0 })
    return (await reader.read('llm/main', new Map([[key, one]]), turn)).get(key)
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
  const wanted = wantedOf(places.map((place) => wantedAt(place, { since: 1 })))
  const read = await createSourceReader({ client, metadata: new Map(), patience: endless }).read('llm/main', wanted, 1)
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
  const reader = createSourceReader({ client, metadata: new Map([['ConfigMap', seen]]), patience: endless })
  let turn = 0
  const read = async (gateway: string, places: readonly string[], keys: Readonly<Record<string, number>>) => {
    const sources = places.map((place): WantedSource => {
      const [namespace = '', name = ''] = place.split('/')
      const at = { kind: 'ConfigMap', namespace, name } as const
      return wantedAt(at, { keys: new Map(Object.entries(keys)), own: new Set(own) })
    })
    const wanted = wantedOf(sources)
    turn += 1
    const found = await reader.read(gateway, wanted, turn)
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

/** Makes a reader of Secrets whose reads in the namespace `slow` wait; `end` ends the patience of the pass. */
function slowScene() {
  const seen = new Store<Stored>()
  const waiting: PromiseWithResolvers<WriteOutcome | undefined>[] = []
  const objectOf = ({ namespace, name }: Pick<SourceReference, 'namespace' | 'name'>) => ({
    ...SECRET,
    metadata: { ...SECRET.metadata, namespace, name },
  })
  const reads: string[] = []
  const client = reading(async ({ namespace, name }) => {
    reads.push(`${namespace}/${name}`)
    if (namespace !== 'slow') return { kind: 'written', object: objectOf({ namespace, name }) }
    const answer = Promise.withResolvers<WriteOutcome | undefined>()
    waiting.push(answer)
    return answer.promise
  })
  let patience: PromiseWithResolvers<void> | undefined
  let asked = 0
  const late = { gateways: [] as string[], told: Promise.withResolvers<void>() }
  const reader = createSourceReader({
    client,
    metadata: new Map([['Secret', seen]]),
    patience: () => {
      asked += 1
      patience = Promise.withResolvers()
      return patience.promise
    },
    readLate: (gateway) => {
      late.gateways.push(gateway)
      late.told.resolve()
    },
  })
  const places = ['slow', 'quick'].map((namespace) => ({ kind: 'Secret', namespace, name: 's' }) as const)
  for (const place of places) {
    const metadata = decodeMetadata(objectOf(place))
    assert.ok(metadata)
    seen.put(metadata)
  }
  const kinds = async (turn: number, more: Partial<WantedSource> = {}) => {
    const found = await reader.read('llm/main', wantedOf(places.map((place) => wantedAt(place, more))), turn)
    return [...found.values()].map(({ kind }) => kind)
  }
  const end = async (): Promise<void> => {
    await until(() => patience !== undefined)
    patience?.resolve()
    patience = undefined
  }
  const answer = (
    outcome: WriteOutcome | undefined = { kind: 'written', object: objectOf({ namespace: 'slow', name: 's' }) },
  ) => waiting.shift()?.resolve(outcome)
  return { kinds, end, answer, reads, waiting, late, reader, asked: () => asked }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

test('a pass goes on without the reads of a namespace that take long, and the gateway comes back for them', async () => {
  const { kinds, end, answer, reads, waiting, late } = slowScene()
  const first = kinds(1, { since: 1 })
  await until(() => reads.length === 2)
  await end()
  assert.deepEqual(await first, ['pending', 'found'])
  const second = kinds(2, { since: 1 })
  await end()
  assert.deepEqual(await second, ['pending', 'found'], 'an edit of another namespace meanwhile')
  assert.deepEqual([reads.length, waiting.length, late.gateways], [2, 1, []])
  answer()
  await late.told.promise
  assert.deepEqual(late.gateways, ['llm/main'])
  assert.deepEqual(await kinds(3, { since: 1 }), ['found', 'found'])
  assert.equal(reads.length, 2, 'nothing is read twice')
})

test('a read that began before a generation was seen does not count for it', async () => {
  const { kinds, end, answer, reads, waiting } = slowScene()
  const first = kinds(1, { since: 1 })
  await until(() => waiting.length === 1)
  await end()
  await first
  const second = kinds(2, { since: 2 })
  answer()
  await until(() => waiting.length === 1)
  await end()
  assert.deepEqual(await second, ['pending', 'found'])
  answer()
  assert.deepEqual(await kinds(3, { since: 2 }), ['found', 'found'])
  assert.deepEqual(reads.filter((name) => name === 'slow/s').length, 2)
})

test('a read that fails after the pass is told once, before it is tried again', async () => {
  const { kinds, end, answer, waiting, late } = slowScene()
  const first = kinds(1)
  await until(() => waiting.length === 1)
  await end()
  assert.deepEqual(await first, ['pending', 'found'])
  answer({ kind: 'refused', status: 500, code: 'InternalError' })
  await late.told.promise
  assert.deepEqual(await kinds(2), ['failed', 'found'])
  const third = kinds(3)
  await until(() => waiting.length === 1)
  answer()
  assert.deepEqual(await third, ['found', 'found'])
})

test('nothing is decided without the sources that the gateway itself and its Processors name', async () => {
  const { kinds, answer, waiting, asked } = slowScene()
  const all = kinds(1, { awaited: true })
  await until(() => waiting.length === 1)
  assert.equal(asked(), 0, 'no patience begins before they are read')
  answer()
  assert.deepEqual(await all, ['found', 'found'])
})

test('the reads of a forgotten gateway end, and call nobody', async () => {
  const { kinds, end, answer, waiting, late, reader } = slowScene()
  const first = kinds(1)
  await until(() => waiting.length === 1)
  await end()
  await first
  reader.forget('llm/main')
  answer()
  const again = kinds(1)
  await until(() => waiting.length === 1)
  assert.deepEqual(late.gateways, [])
  answer()
  assert.deepEqual(await again, ['found', 'found'])
})
