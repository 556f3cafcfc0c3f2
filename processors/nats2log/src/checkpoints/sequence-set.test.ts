import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SequenceSet } from './sequence-set.ts'

test('a set has the sequences that were added and not deleted', () => {
  const set = new SequenceSet()
  const expected = new Set<number>()
  const sequences = Array.from({ length: 2_000 }, (_, n) => (n * 7_919) % 5_003).concat(31, 32, 63, 2 ** 52 + 31)
  for (const [n, sequence] of sequences.entries()) {
    if (n % 3 === 2) assert.equal(set.delete(sequence - 1), expected.delete(sequence - 1))
    else {
      set.add(sequence)
      expected.add(sequence)
    }
    assert.equal(set.size, expected.size)
  }
  const ascending = (one: number, other: number) => one - other
  assert.deepEqual([...set].toSorted(ascending), [...expected].toSorted(ascending))
  for (const sequence of sequences) assert.equal(set.has(sequence), expected.has(sequence))
  set.clear()
  assert.deepEqual([[...set], set.size], [[], 0])
})
