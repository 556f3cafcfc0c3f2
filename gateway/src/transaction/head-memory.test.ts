import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headMemory } from './head-memory.ts'

// Rules: docs/reference/http.md#memory

const KIB = 1_024

const HEADS: readonly (readonly [name: string, target: string, rawHeaders: readonly string[], bytes: number])[] = [
  ['a usual head', '/llm/?a=1&b=2', ['Host', 'a', 'Cookie', 'x'.repeat(7 * KIB)], 0],
  ['a long header', '/llm/', ['Cookie', 'x'.repeat(60 * KIB)], 100 * KIB],
  ['many parameters', `/llm/?${'a&'.repeat(30 * KIB)}`, [], 2_900 * KIB],
  ['many header lines', '/llm/', Array.from({ length: 8_000 }, () => 'abc'), 1_000 * KIB],
  ['many lines of few characters', '/llm/', Array.from({ length: 2_600 }, () => ['xy', 'z']).flat(), 800 * KIB],
  ['many parameters of few characters', `/llm/?${'a&'.repeat(3 * KIB)}`, [], 340 * KIB],
]

for (const [name, target, rawHeaders, bytes] of HEADS) {
  test(`${name} counts with at least ${bytes} bytes`, () => {
    const counted = headMemory({ call: { target, rawHeaders }, route: { characters: 100 } })
    assert.ok(counted >= bytes && counted <= 1.3 * bytes, `${counted} bytes`)
  })
}

test('the texts of a router count as parts of the head', () => {
  const call = { target: '/llm/', rawHeaders: [] }
  assert.equal(headMemory({ call, route: { characters: 7 * KIB } }), 0)
  assert.ok(headMemory({ call, route: { characters: 60 * KIB } }) >= 120 * KIB)
})
