import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Source } from '../../model/snapshot.ts'
import { routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { buildEntry } from '../routers/build-entry.ts'

// Rules: docs/reference/kubernetes.md#variables

/** Sources that count how often they are looked up. */
class CountedSources extends Map<string, Source> {
  reads = 0
  override get(key: string): Source | undefined {
    this.reads += 1
    return super.get(key)
  }
}

const texts: readonly (readonly [where: string, outbound: (text: string) => object])[] = [
  ['a header', (text) => ({ url: 'https://res.example/', headers: { 'X-A': [text] } })],
  ['the path of an address', (text) => ({ url: `https://res.example/${text}` })],
  ['the host of an address', (text) => ({ url: `https://${text}` })],
  ['a field whose reference has no value', (text) => ({ url: `https://res.example/${text.replaceAll('A', 'LOST')}` })],
]

function readsFor(outbound: object): number {
  const router = routerOf({
    spec: {
      path: '/a/',
      outbound,
      env: ['A', 'LOST'].map((name) => ({ name, valueFrom: { secretKeyRef: { name: 'own', key: name } } })),
    },
  })
  const sources = new CountedSources([
    ['llm/Secret/own', { kind: 'found', type: 'Opaque', values: new Map([['A', 'a']]) }],
  ])
  buildEntry(router, { ...snapshotOf({}), sources }, new Set())
  return sources.reads
}

describe('a reference that a Router repeats', () => {
  for (const [where, outbound] of texts) {
    test(`in ${where}: its key is read no more often than the key of a single reference`, () => {
      assert.ok(readsFor(outbound('${A}')) > 0)
      assert.equal(readsFor(outbound('${A}'.repeat(200))), readsFor(outbound('${A}')))
    })
  }

  test('each field has its own problems', () => {
    const router = routerOf({
      spec: {
        path: '/a/',
        outbound: { url: 'https://res.example/', headers: { 'X-A': ['${A}'], 'X-B': ['${A}'] } },
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'own', key: 'A' } } }],
      },
    })
    const { problems } = buildEntry(router, snapshotOf({}), new Set())
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['outbound.headers[X-A][0]', 'outbound.headers[X-B][0]'],
    )
  })
})
