import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Snapshot, Source } from '../../model/snapshot.ts'
import { routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'
import { EntryMemory } from './entry-memory.ts'

// Rules: docs/reference/kubernetes.md#variables

const PENDING: Source = { kind: 'pending' }

function secret(text: string): Source {
  return { kind: 'found', type: 'Opaque', values: new Map([['a', text]]) }
}

function router(name: string, generation: number, more: object = {}) {
  const env = ['own', name].map((source) => ({
    name: `KEY_${source.toUpperCase()}`,
    valueFrom: { secretKeyRef: { name: source, key: 'a' } },
  }))
  const headers = { 'Api-Key': ['${KEY_OWN}'], 'X-Key': [`\${KEY_${name.toUpperCase()}}`] }
  const outbound = { url: 'https://res.example/', headers, ...more }
  const metadata = { name, namespace: 'team', generation }
  return routerOf({ metadata, spec: { path: `/team/${name}/`, outbound, env } })
}

function snapshot(
  routers: Snapshot['routers'],
  sources: Readonly<Record<string, Source>>,
  spec: object = {},
): Snapshot {
  const allowedRouters = { namespaces: { from: 'All' } }
  return {
    ...snapshotOf({ gateway: { spec: { allowedRouters, ...spec } }, namespaces: { team: {} } }),
    routers,
    sources: new Map(Object.entries(sources).map(([name, source]) => [`team/Secret/${name}`, source])),
  }
}

/** Translates a snapshot after one in which `a` and `b` work. Returns each router's text, with its values. */
function after(next: Snapshot): ReadonlyMap<string, string> {
  const memory = new EntryMemory()
  const read = { own: secret('own'), a: secret('a1'), b: secret('b1') }
  translate(snapshot([router('a', 1), router('b', 1)], read), memory)
  return textsOf(translate(next, memory))
}

function textsOf({ glConfig, values }: ReturnType<typeof translate>): ReadonlyMap<string, string> {
  const routers: readonly { readonly path: string }[] = JSON.parse(glConfig).routers
  const whole = (one: object) => JSON.stringify(one).replace(/\$\{(V_\w+)\}/g, (_, name) => String(values.get(name)))
  return new Map(routers.map((one) => [one.path, whole(one)]))
}

describe('a Router with a source that is still being read', () => {
  const edited = { endpoint: 'v2' }

  test('keeps its last entry, while edits of others go through', () => {
    const read = { own: secret('own'), a: PENDING, b: secret('b2') }
    const texts = after(snapshot([router('a', 2, edited), router('b', 2, edited)], read))
    assert.match(texts.get('/team/a/') ?? '', /"endpoint":"".*"own".*"a1"/)
    assert.match(texts.get('/team/b/') ?? '', /"endpoint":"v2".*"own".*"b2"/)
  })

  test('keeps its last values', () => {
    const texts = after(snapshot([router('a', 1)], { own: secret('own'), a: PENDING }))
    assert.match(texts.get('/team/a/') ?? '', /"own".*"a1"/)
  })

  test('loses an entry that the gateway forbids now, however long its sources take', () => {
    const forbidden = { allowedRouters: { namespaces: { from: 'All' }, hosts: ['other.example'] } }
    const routers = [router('a', 2, edited)]
    const texts = after(snapshot(routers, { own: secret('own'), a: PENDING }, forbidden))
    assert.match(texts.get('/team/a/') ?? '', /"disabled":true/)
  })

  test('has no older text of a value that another Router shares with it', () => {
    const read = { own: secret('rotated'), a: PENDING, b: secret('b1') }
    for (const generation of [1, 2]) {
      const texts = after(snapshot([router('a', generation), router('b', 1)], read))
      for (const path of ['/team/a/', '/team/b/']) assert.match(texts.get(path) ?? '', /"rotated"/)
    }
  })

  test('is translated once its sources are read', () => {
    const memory = new EntryMemory()
    const pending = snapshot([router('a', 1)], { own: secret('own'), a: PENDING })
    assert.match(textsOf(translate(pending, memory)).get('/team/a/') ?? '', /"disabled":true/)
    const read = snapshot([router('a', 1)], { own: secret('own'), a: secret('a1') })
    assert.match(textsOf(translate(read, memory)).get('/team/a/') ?? '', /"own".*"a1"/)
  })
})
