import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouterEntry, Snapshot, Source } from '../../model/snapshot.ts'
import { snapshotOf } from '../golden-input-under-test.ts'
import { NO_PODS } from '../observation-under-test.ts'
import { translate } from '../translate.ts'
import { EntryMemory } from './entry-memory.ts'

// Rules: docs/reference/kubernetes.md#variables

const FAILED: Source = { kind: 'failed' }
const BASE = found('https://res.example/')
const KEY = found('k1')

function found(text: string): Source {
  return { kind: 'found', type: 'Opaque', values: new Map([['a', text]]) }
}

/** Makes translations of a gateway whose Router has a key in its address, one after the other. */
function scene() {
  const memory = new EntryMemory()
  let live: NonNullable<Snapshot['liveValues']> = new Map()
  return ({ base = BASE, key = KEY, hosts = ['res.example'] }) => {
    const env = ['base', 'key'].map((name) => ({
      name: name.toUpperCase(),
      valueFrom: { secretKeyRef: { name, key: 'a' } },
    }))
    const outbound = { url: '${BASE}v1', headers: { 'Api-Key': ['${KEY}'] } }
    const given = {
      gateway: { spec: { allowedRouters: { hosts } } },
      routers: [{ metadata: { name: 'r' }, spec: { path: '/r/', outbound, env } }],
    }
    const sources = new Map([
      ['llm/Secret/base', base],
      ['llm/Secret/key', key],
    ])
    const translation = translate({ ...snapshotOf(given), sources, liveValues: live }, memory)
    live = translation.values
    const [entry]: readonly RouterEntry[] = JSON.parse(translation.glConfig).routers
    const text = JSON.stringify(entry).replace(/\$\{(V_\w+)\}/g, (_, name) => String(translation.values.get(name)))
    const { conditions = [] } = translation.statuses(NO_PODS).routers[0]?.status ?? {}
    const said = new Map(conditions.map(({ type, status, reason }) => [type, `${status}/${reason}`]))
    return { text, resolved: said.get('ResolvedRefs'), programmed: said.get('Programmed') }
  }
}

const UNREAD = { resolved: 'Unknown/ReadFailed', programmed: 'False/NoReadyPods' }

test('a Router with a key in its address keeps working for as long as the key can’t be read', () => {
  const pass = scene()
  const { text } = pass({})
  assert.match(text, /"url":"https:\/\/res.example\/v1".*"k1"/)
  assert.deepEqual(pass({ base: FAILED }), { text, ...UNREAD })
  assert.deepEqual(pass({ base: FAILED, key: FAILED }), { text, ...UNREAD })
  assert.deepEqual(pass({ base: FAILED, key: { kind: 'pending' } }).text, text)
  const rotated = text.replace('"k1"', '"k2"')
  assert.deepEqual(pass({ base: FAILED, key: found('k2') }), { text: rotated, ...UNREAD }, 'another key was rotated')
  assert.equal(pass({ base: BASE, key: KEY }).resolved, 'True/ResolvedRefs')
  assert.match(
    pass({ base: found('https://other.example/'), hosts: ['other.example'] }).text,
    /"https:\/\/other.example/,
  )
})

test('its entry is judged by the gateway’s present hosts meanwhile', () => {
  const pass = scene()
  pass({})
  const forbidden = pass({ base: FAILED, hosts: ['other.example'] })
  assert.match(forbidden.text, /"disabled":true/)
  assert.equal(forbidden.resolved, 'Unknown/ReadFailed')
  assert.match(pass({ base: FAILED }).text, /res.example/)
})

test('the last content of a source that is deleted meanwhile does not count', () => {
  const pass = scene()
  pass({})
  assert.match(pass({ base: { kind: 'missing' } }).text, /"disabled":true/)
  assert.match(pass({ base: FAILED }).text, /"disabled":true/)
})
