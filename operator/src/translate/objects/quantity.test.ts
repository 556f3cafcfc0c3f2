import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, canonicalQuantity } from './quantity.ts'

const quantities: readonly (readonly [string, string, number])[] = [
  ['1Gi', '1Gi', 2 ** 30],
  ['1024Mi', '1Gi', 2 ** 30],
  ['1000Mi', '1000Mi', 1000 * 2 ** 20],
  ['0.5Gi', '512Mi', 2 ** 29],
  ['0.5', '500m', 1],
  ['2', '2', 2],
  ['1000m', '1', 1],
  ['1500m', '1500m', 2],
  ['1000', '1k', 1000],
  ['1.5G', '1500M', 1_500_000_000],
  ['0', '0', 0],
  ['0.0001', '1m', 1],
  ['1e3', '1e3', 0],
]

for (const [quantity, canonical, bytes] of quantities) {
  test(`the API server keeps ${quantity} as ${canonical}; it is ${bytes} bytes`, () => {
    assert.equal(canonicalQuantity(quantity), canonical)
    assert.equal(bytesOf(quantity), bytes)
  })
}
