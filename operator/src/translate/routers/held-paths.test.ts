import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { array, constantFrom, assert as holds, property, tuple } from 'fast-check'
import { HeldPaths } from './held-paths.ts'

// Rules: docs/reference/kubernetes.md#paths

const OWN = 'llm'

/** The rule as the page tells it: every held path is compared with the new one. */
function conflictOf(path: string, namespace: string, held: ReadonlyMap<string, string>): string | undefined {
  if (held.has(path)) return path
  const above = [...held].filter(([other, holder]) => path.startsWith(other) && holder !== namespace && holder !== OWN)
  const shortest = above.map(([other]) => other).sort((a, b) => a.length - b.length)[0]
  if (shortest !== undefined || namespace === OWN) return shortest
  const below = [...held].some(([other, holder]) => other.startsWith(path) && holder !== namespace)
  return below ? `${path}…` : undefined
}

describe('the paths that namespaces hold', () => {
  test('a path conflicts where a comparison with every held path says so', () => {
    const path = array(constantFrom('a', 'b', 'ab', 'aa', 'abc'), { minLength: 1, maxLength: 4 }).map(
      (segments) => `/${segments.join('/')}/`,
    )
    let conflicts = 0
    holds(
      property(array(tuple(path, constantFrom(OWN, 'x', 'y')), { maxLength: 12 }), (wanted) => {
        const paths = new HeldPaths(OWN)
        const held = new Map<string, string>()
        for (const [one, namespace] of wanted) {
          const conflict = conflictOf(one, namespace, held)
          assert.equal(paths.hold(one, namespace), conflict, JSON.stringify([wanted, one, namespace]))
          if (conflict === undefined) held.set(one, namespace)
          else conflicts += 1
        }
      }),
      { numRuns: 3_000, seed: 6 },
    )
    assert.ok(conflicts > 1_000, `${conflicts} conflicts`)
  })

  test('paths with many segments take two nodes each at most', () => {
    const paths = new HeldPaths(OWN)
    for (let index = 0; index < 1_000; index += 1) paths.hold(`/x/${index}/${'a/'.repeat(110)}`, 'x')
    assert.ok(paths.nodes <= 2_000, `${paths.nodes} nodes`)
  })
})
