import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observationOf, snapshotOf } from '../translate/golden-input-under-test.ts'
import { translate } from '../translate/translate.ts'
import { decodeRouter } from './decode-resource.ts'
import { leanRouter } from './lean-router.ts'

// Rules: docs/reference/kubernetes.md#variables, docs/reference/kubernetes.md#reasons

const value = 'x'.repeat(4_096)
const headers = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`X-${index}`, Array.from({ length: 8 }, () => value)]),
  )
const metadata = { name: 'a', namespace: 'llm', uid: 'llm-a', generation: 2 }
const spec = { gatewayRef: { name: 'main' }, path: '/a/', internal: false, outbound: { url: 'https://a.example/${A}' } }
const reference = (name: string) => ['${', name, '}'].join('')
const env = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `N${index}`, value }))

const references = (count: number) =>
  Object.fromEntries(
    env(count).map(({ name }, index) => [`X-${index % 32}`, [reference(name), reference(`N${index ^ 32}`)]]),
  )

const large: readonly (readonly [string, object])[] = [
  ['outbound headers', { outbound: { ...spec.outbound, headers: headers(32) } }],
  ['ingress headers', { ingress: { headers: headers(32) } }],
  [
    'values of its own',
    {
      outbound: { url: 'https://a.example/', headers: { K: env(8).map(({ name }) => reference(name)) } },
      env: env(8),
    },
  ],
  [
    'references to keys',
    {
      outbound: { url: 'https://a.example/', headers: references(64) },
      env: env(64).map(({ name }) => ({
        name,
        valueFrom: { secretKeyRef: { name: name.toLowerCase().padEnd(253, 'x'), key: 'k'.repeat(253) } },
      })),
    },
  ],
]
for (const [what, more] of large) {
  test(`a Router with too large ${what} keeps its path, little memory and the status of a Router that is too large`, () => {
    const router = decodeRouter({ metadata, spec: { ...spec, ...more } })
    assert.ok(router)
    assert.deepEqual(
      [router.spec.path, router.spec.gatewayRef, router.unreadable],
      ['/a/', { name: 'main' }, undefined],
    )
    const other = decodeRouter({ metadata: { ...metadata, name: 'b' }, spec: { ...spec, ...more } })
    assert.equal(router.spec.outbound.headers, other?.spec.outbound.headers, 'one object for all of them')
    const translation = translate({ ...snapshotOf({}), routers: [router] })
    const [written] = translation.statuses(observationOf({}, translation)).routers
    const reasons = written?.status.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)
    assert.deepEqual(reasons, [
      'Accepted True Accepted',
      'ResolvedRefs Unknown NotEvaluated',
      'Programmed False CapacityExceeded',
      'Ready False CapacityExceeded',
    ])
  })
}

test('entries of env that no text of the Router uses are not kept, neither values nor references to keys', () => {
  const keyOf = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: name.toLowerCase(), key: 'k' } } })
  const used = { name: 'A', value: 'a' }
  const outbound = { ...spec.outbound, headers: { K: [reference('S')] } }
  const router = decodeRouter({
    metadata,
    spec: { ...spec, outbound, env: [...env(60), keyOf('S'), keyOf('T'), used] },
  })
  assert.deepEqual(router?.spec.env, [keyOf('S'), used])
  const small = decodeRouter({ metadata, spec: { ...spec, env: [used] } })
  assert.deepEqual(small?.spec, { ...spec, env: [used] })
})

test('a Router whose names of values are long, and whose values are short, is not too large', () => {
  const name = 'N'.repeat(100)
  const texts = Array.from({ length: 39 }, () => `$${'{'}${name}}`)
  const split = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`X-${index}`, [texts.join('')]]))
  const values = Array.from({ length: 2 }, (_, index) => ({ name: `V${index}`, value }))
  const uses = { K: values.map((one) => `$${'{'}${one.name}}`) }
  const outbound = { url: 'https://a.example/', headers: { ...split, ...uses } }
  const router = decodeRouter({ metadata, spec: { ...spec, outbound, env: [{ name, value: 'a' }, ...values] } })
  assert.deepEqual(router?.spec.outbound, outbound)
})

test('the texts of a Router that is too large are measured, and never split', () => {
  const used = { name: 'A', value: 'a' }
  const text = reference('A').repeat(1_000)
  const full: Record<string, string[]> = { K: [text, text, text, text], L: [text, text] }
  const router = decodeRouter({ metadata, spec: { ...spec, outbound: { ...spec.outbound, headers: full } } })
  assert.ok(router)
  let looks = 0
  const ownKeys = (target: Record<string, string[]>) => {
    looks += 1
    return Reflect.ownKeys(target)
  }
  const headers = new Proxy<Record<string, string[]>>(full, { ownKeys })
  const lean = leanRouter({
    ...router,
    spec: { ...router.spec, outbound: { ...router.spec.outbound, headers }, env: [used] },
  })
  assert.equal(lean.spec.env, undefined)
  assert.equal(looks, 1)
})
