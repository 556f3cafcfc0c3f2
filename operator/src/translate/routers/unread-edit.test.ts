import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Router } from '@llm-gateway/crds'
import type { RouterEntry, Snapshot, Source } from '../../model/snapshot.ts'
import { snapshotOf } from '../golden-input-under-test.ts'
import { NO_PODS } from '../observation-under-test.ts'
import { translate } from '../translate.ts'
import { EntryMemory } from './entry-memory.ts'

// Rules: docs/reference/kubernetes.md#variables

const FAILED: Source = { kind: 'failed' }
const PENDING: Source = { kind: 'pending' }
const MISSING: Source = { kind: 'missing' }

function found(text: string): Source {
  return { kind: 'found', type: 'Opaque', values: new Map([['a', text]]) }
}

type Pass = {
  /** Router → its generation, address and key. */
  readonly routers?: Readonly<Record<string, { generation?: number; url?: string; key?: string }>>
  /** Secret → its content. */
  readonly read: Readonly<Record<string, Source>>
  readonly hosts?: readonly string[]
  readonly shared?: string
  /** The Secret of the gateway's own KEY, for Routers without a key of their own. */
  readonly sharedKey?: string
}

/** Translates a gateway whose Routers send a key from a Secret, pass after pass. */
function scene() {
  let memory = new EntryMemory()
  let live: Pick<Snapshot, 'liveRouters' | 'liveValues'> = {}
  const statuses = new Map<string, Router['status']>()
  const pass = ({ routers = { r: {} }, read, hosts, shared = 'shared.example', sharedKey = 'one' }: Pass) => {
    const sharedEnv = [
      { name: 'SHARED', value: shared },
      { ...variable('KEY', sharedKey), hosts: ['res.example'] },
    ]
    const given = {
      gateway: { spec: { allowedRouters: { hosts }, sharedEnv } },
      routers: Object.entries(routers).map(([name, { generation = 1, url = 'https://res.example/', key = 'key' }]) => ({
        metadata: { name, generation },
        spec: {
          path: `/${name}/`,
          outbound: { url, headers: { 'Api-Key': ['${KEY}'] } },
          env: [...(key === '' ? [] : [variable('KEY', key)]), variable('BASE', 'base')],
        },
        status: statuses.get(name),
      })),
    }
    const sources = new Map(Object.entries(read).map(([name, source]) => [`llm/Secret/${name}`, source]))
    const translation = translate({ ...snapshotOf(given), sources, ...live }, memory)
    const entries: readonly RouterEntry[] = JSON.parse(translation.glConfig).routers
    live = { liveRouters: new Map(entries.map((one) => [one.path, one])), liveValues: translation.values }
    for (const { router, status } of translation.statuses(NO_PODS).routers) statuses.set(router.metadata.name, status)
    return new Map(entries.map((one) => [one.path.replaceAll('/', ''), textOf(one, translation.values)]))
  }
  return {
    pass,
    /** Returns the text of the Router `r`. */
    r: (given: Pass) => pass(given).get('r') ?? '',
    /** Lets a new operator translate, perhaps without the statuses that the last one should have written. */
    restart: ({ withStatuses = true } = {}) => {
      memory = new EntryMemory()
      if (!withStatuses) statuses.clear()
    },
    says: (condition: string, name = 'r') => {
      const { status, reason, message } = statuses.get(name)?.conditions?.find(({ type }) => type === condition) ?? {}
      return `${status} ${reason}: ${message}`
    },
  }
}

function variable(name: string, secret: string): object {
  return { name, valueFrom: { secretKeyRef: { name: secret, key: 'a' } } }
}

function textOf(entry: RouterEntry, values: ReadonlyMap<string, string>): string {
  return JSON.stringify(entry).replace(/\$\{(V_\w+)\}/g, (_, name) => String(values.get(name)))
}

const WORKS = /"url":"https:\/\/res.example\/".*"k1"/
const HELD = /"disabled":true/

describe('an edit of a Router whose Secret can’t be read', () => {
  const edited = { r: { generation: 2, url: 'https://new.example/' } }
  test('stays out with its address, until the Secret is read', () => {
    const { r, says } = scene()
    const before = r({ read: { key: found('k1') } })
    assert.match(before, WORKS)
    for (const key of [FAILED, PENDING, FAILED]) assert.equal(r({ routers: edited, read: { key } }), before)
    assert.match(says('ResolvedRefs'), /^Unknown ReadFailed: .*Secret llm\/key could not be read/)
    assert.match(
      says('Programmed'),
      /^Unknown ReadFailed: .*Secret llm\/key could not be read.* keeps the configuration/,
    )
    assert.match(r({ routers: edited, read: { key: found('k2') } }), /"https:\/\/new.example\/".*"k2"/)
    assert.match(says('ResolvedRefs'), /^True/)
  })

  test('stays out where it names another Secret, which the message names', () => {
    const { r, says } = scene()
    const before = r({ read: { key: found('k1') } })
    const moved = { r: { generation: 2, url: 'https://new.example/', key: 'other' } }
    assert.equal(r({ routers: moved, read: { other: FAILED } }), before)
    assert.match(says('Programmed'), /Secret llm\/other could not be read/)
    const further = { r: { generation: 3, url: 'https://new.example/', key: 'third' } }
    assert.equal(r({ routers: further, read: { third: FAILED } }), before)
    assert.match(r({ routers: further, read: { third: MISSING } }), HELD)
    assert.match(r({ routers: further, read: { third: FAILED } }), HELD, 'a generation that was judged')
  })

  test('stays out where another Router uses the last text of the Secret', () => {
    const { pass, says } = scene()
    pass({ read: { key: found('k1') } })
    const texts = pass({ routers: { r: {}, s: { url: 'https://new.example/' } }, read: { key: FAILED } })
    assert.match(texts.get('r') ?? '', WORKS)
    assert.match(texts.get('s') ?? '', HELD)
    assert.match(says('Programmed', 's'), /^Unknown ReadFailed: .*Secret llm\/key could not be read/)
  })
})

describe('the last text of a key that can’t be read goes to no other address', () => {
  const based = { r: { url: '${BASE}' } }
  const [base, other] = [found('https://res.example/'), found('https://new.example/')]
  for (const key of [FAILED, PENDING]) {
    test(`a Secret with the address changed, the key is ${key.kind}`, () => {
      const { r } = scene()
      assert.match(r({ routers: based, read: { base, key: found('k1') } }), WORKS)
      for (let count = 0; count < 2; count += 1) assert.match(r({ routers: based, read: { base: other, key } }), WORKS)
      assert.match(r({ routers: based, read: { base: other, key: found('k2') } }), /"https:\/\/new.example\/".*"k2"/)
    })

    test(`a shared text with the address changed, the key is ${key.kind}`, () => {
      const { r } = scene()
      const routers = { r: { url: 'https://${SHARED}/' } }
      const before = r({ routers, read: { key: found('k1') } })
      assert.match(before, /"https:\/\/shared.example\/".*"k1"/)
      for (let count = 0; count < 2; count += 1)
        assert.equal(r({ routers, read: { key }, shared: 'new.example' }), before)
      assert.match(r({ routers, read: { key }, shared: 'new.example', hosts: ['new.example'] }), HELD)
      assert.match(r({ routers, read: { key: found('k2') }, shared: 'new.example' }), /"https:\/\/new.example\/".*"k2"/)
    })

    test(`the address was never used, the key is ${key.kind}`, () => {
      const { r } = scene()
      assert.match(r({ routers: based, read: { base: MISSING, key: found('k1') } }), HELD)
      assert.match(r({ routers: based, read: { base, key } }), HELD)
      assert.match(r({ routers: based, read: { base, key: found('k2') } }), /"https:\/\/res.example\/".*"k2"/)
    })
  }
})

test('a Router keeps the gateway’s key while the gateway’s next Secret can’t be read', () => {
  const { r, says, restart } = scene()
  const routers = { r: { key: '' } }
  const before = r({ routers, read: { one: found('k1') } })
  assert.match(before, WORKS)
  for (let count = 0; count < 2; count += 1)
    assert.equal(r({ routers, read: { two: FAILED }, sharedKey: 'two' }), before)
  assert.match(says('ResolvedRefs'), /^Unknown ReadFailed/)
  restart()
  assert.equal(r({ routers, read: { two: FAILED }, sharedKey: 'two' }), before)
  assert.match(r({ routers, read: { two: found('k2') }, sharedKey: 'two' }), /"k2"/)
})

describe('after a restart of the operator', () => {
  const base = found('https://res.example/')
  const based = { r: { url: '${BASE}v1' } }
  test('a Router with a key in its address works for as long as the key can’t be read', () => {
    const { r, says, restart } = scene()
    const before = r({ routers: based, read: { base, key: found('k1') } })
    assert.match(before, /"https:\/\/res.example\/v1".*"k1"/)
    for (const read of [
      { base: FAILED, key: found('k1') },
      { base: PENDING, key: FAILED },
      { base: FAILED, key: FAILED },
    ]) {
      restart()
      for (let count = 0; count < 2; count += 1) assert.equal(r({ routers: based, read }), before)
    }
    assert.match(says('ResolvedRefs'), /^Unknown ReadFailed: .*Secret llm\/key could not be read \(and 1 more\)/)
    assert.match(says('Programmed'), /^False NoReadyPods/)
  })

  test('a Router works, too, whose status was not written', () => {
    const { r, restart } = scene()
    const before = r({ read: { key: found('k1') } })
    restart({ withStatuses: false })
    assert.equal(r({ read: { key: FAILED } }), before)
  })

  test('such a Router is judged by the gateway’s present hosts', () => {
    const { r, restart } = scene()
    const read = { base: FAILED, key: found('k1') }
    const before = r({ routers: based, read: { ...read, base } })
    restart()
    r({ routers: based, read })
    assert.match(r({ routers: based, read, hosts: ['new.example'] }), HELD)
    assert.equal(r({ routers: based, read }), before)
  })

  test('an edit that no operator saw stays out, and so does a new Router', () => {
    const { pass, says, restart } = scene()
    const before = pass({ routers: based, read: { base, key: found('k1') } }).get('r')
    restart()
    const routers = { r: { generation: 2, url: '${BASE}v2' }, s: {} }
    for (let count = 0; count < 2; count += 1) {
      const texts = pass({ routers, read: { base: FAILED, key: FAILED } })
      assert.equal(texts.get('r'), before)
      assert.match(texts.get('s') ?? '', HELD)
    }
    assert.match(says('Programmed'), /^Unknown ReadFailed: .*Secret llm\/.* keeps the configuration/)
    assert.match(says('Programmed', 's'), /^Unknown ReadFailed/)
    assert.match(
      pass({ routers, read: { base, key: found('k2') } }).get('r') ?? '',
      /"https:\/\/res.example\/v2".*"k2"/,
    )
  })
})
