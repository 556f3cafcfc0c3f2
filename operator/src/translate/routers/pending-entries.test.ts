import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Router } from '@llm-gateway/crds'
import type { RouterEntry, Snapshot, Source } from '../../model/snapshot.ts'
import { routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { NO_PODS } from '../observation-under-test.ts'
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

  test('keeps its generation where another of its sources was rotated and is read', () => {
    const texts = after(snapshot([router('a', 2, { url: 'https://new.example/' })], { own: PENDING, a: secret('a2') }))
    assert.match(texts.get('/team/a/') ?? '', /"url":"https:\/\/res.example\/".*"own".*"a2"/)
  })

  test('keeps its generation where the parts of the gateway changed', () => {
    const hosts = ['res.example', 'new.example']
    const allowed = { allowedRouters: { namespaces: { from: 'All' }, hosts } }
    const routers = [router('a', 2, { url: 'https://new.example/' })]
    const texts = after(snapshot(routers, { own: secret('own'), a: PENDING }, allowed))
    assert.match(texts.get('/team/a/') ?? '', /"url":"https:\/\/res.example\/".*"own".*"a1"/)
  })

  test('keeps the sources of its generation, though only the new one is read', () => {
    const moved = renamed(router('a', 2), 'new')
    for (const own of [secret('own'), secret('own2')]) {
      const texts = after(snapshot([moved], { own, new: PENDING }))
      assert.match(texts.get('/team/a/') ?? '', /"own2?".*"a1"/)
    }
  })

  test('only holds its path where the edit moved it', () => {
    const moved = router('a', 2)
    const routers = [{ ...moved, spec: { ...moved.spec, path: '/team/moved/' } }, router('b', 1)]
    const texts = after(snapshot(routers, { own: secret('own'), a: PENDING, b: secret('b1') }))
    assert.match(texts.get('/team/moved/') ?? '', /"disabled":true/)
    assert.equal(texts.get('/team/a/'), undefined)
  })
})

describe('a Router that was edited while no operator ran', () => {
  const edits = {
    'a new url': router('a', 2, { url: 'https://new.example/' }),
    'a new source': renamed(router('a', 2), 'new'),
  }
  for (const [what, edited] of Object.entries(edits)) {
    test(`${what}: keeps its live entry in each pass until its sources are read`, () => {
      const first = translate(snapshot([router('a', 1)], { own: secret('own'), a: secret('a1') }))
      const memory = new EntryMemory()
      let last = first
      let status = first.statuses(NO_PODS).routers[0]?.status ?? {}
      for (const own of [PENDING, PENDING, secret('own2'), PENDING]) {
        const routers = [{ ...edited, status }]
        const live = liveOf(last)
        const next = translate({ ...snapshot(routers, { own, a: PENDING, new: PENDING }), ...live }, memory)
        assert.match(textsOf(next).get('/team/a/') ?? '', /"url":"https:\/\/res.example\/".*"own".*"a1"/)
        status = next.statuses(NO_PODS).routers[0]?.status ?? {}
        last = next
      }
      const read = { own: secret('own2'), a: secret('a2'), new: secret('n2') }
      const texts = textsOf(translate(snapshot([{ ...edited, status }], read), memory))
      assert.match(texts.get('/team/a/') ?? '', /"own2".*"(a2|n2)"/)
    })
  }
})

function liveOf({ glConfig, values }: ReturnType<typeof translate>): Pick<Snapshot, 'liveRouters' | 'liveValues'> {
  const routers: readonly RouterEntry[] = JSON.parse(glConfig).routers
  return { liveRouters: new Map(routers.map((one) => [one.path, one])), liveValues: values }
}

/** Lets a Router take its own key from another Secret. */
function renamed(from: Router, name: string): Router {
  const [own, ...rest] = from.spec.env ?? []
  const env = rest.map((one) => ({ ...one, valueFrom: { secretKeyRef: { name, key: 'a' } } }))
  return { ...from, spec: { ...from.spec, env: own === undefined ? env : [own, ...env] } }
}
