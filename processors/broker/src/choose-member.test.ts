import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMember } from './choose-member.ts'
import { seededRandom } from './seeded-random-under-test.ts'

// Rules: docs/reference/processors.md#broker

const DRAWS = 30_000
/** Critical values of χ² at p = 0.001, by the number of members less one. */
const CRITICAL: ReadonlyMap<number, number> = new Map([
  [1, 10.83],
  [2, 13.82],
  [4, 18.47],
  [9, 27.88],
])

const members = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `/pool/${index}/`)
const disabled = (until: Readonly<Record<string, number>>) => ({
  disabledUntil: (member: string) => new Map(Object.entries(until)).get(member),
})

for (const [degrees, critical] of CRITICAL) {
  test(`${degrees + 1} enabled members are chosen equally often`, () => {
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed)
      const enabled = members(degrees + 1)
      // Disabled members at both ends must not change the others' shares.
      const pool = ['/pool/first/', ...enabled, '/pool/last/']
      const availability = disabled({ '/pool/first/': 1, '/pool/last/': 1 })
      const counts = new Map(pool.map((member) => [member, 0]))
      for (let draw = 0; draw < DRAWS; draw++) {
        const member = chooseMember(pool, availability, random)?.member ?? ''
        counts.set(member, (counts.get(member) ?? 0) + 1)
      }
      const expected = DRAWS / enabled.length
      const chiSquare = enabled.reduce((sum, member) => sum + ((counts.get(member) ?? 0) - expected) ** 2 / expected, 0)
      assert.ok(chiSquare < critical, `seed ${seed}: χ² is ${chiSquare}`)
      assert.deepEqual([counts.get('/pool/first/'), counts.get('/pool/last/')], [0, 0])
    }
  })
}

test('the lowest random number chooses the first member, the highest the last', () => {
  const pool = members(3)
  assert.deepEqual(
    chooseMember(pool, disabled({}), () => 0),
    { member: '/pool/0/', lastResort: false },
  )
  assert.deepEqual(
    chooseMember(pool, disabled({}), () => 1 - Number.EPSILON),
    { member: '/pool/2/', lastResort: false },
  )
})

test('with all members disabled, the member that was disabled first is chosen', () => {
  const availability = disabled({ '/pool/0/': 30, '/pool/1/': 10, '/pool/2/': 20 })
  for (const random of [() => 0, () => 0.5, () => 0.99]) {
    assert.deepEqual(chooseMember(members(3), availability, random), { member: '/pool/1/', lastResort: true })
  }
})

test('a pool without members has no choice', () => {
  assert.equal(
    chooseMember([], disabled({}), () => 0),
    undefined,
  )
})
