import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL_ROUTERS, addSample, BucketBounds, RouterCounts } from './router-counts.ts'

test('routers with names of more than 1,024 characters, and names beyond 8 Mi characters, count in the sum only', () => {
  const kept = Array.from({ length: 8_192 }, (_, index) => `/${index}/`.padEnd(1_024, 'y'))
  const names = [`/${'x'.repeat(1_024)}`, ...kept, '/last/'.padEnd(1_024, 'z')]
  const counts = new RouterCounts()
  const context = { bounds: new BucketBounds(), former: undefined }
  for (const router of names) {
    const labels = new Map([['router', router]])
    addSample(counts, { name: 'llm_gateway_requests_total', labels, value: 2 }, context)
  }
  assert.equal(counts.get(ALL_ROUTERS)?.requests, 2 * names.length)
  assert.equal([...counts.values()].length, 1 + kept.length)
  assert.equal(counts.get(kept[0] ?? '')?.requests, 2)
  assert.deepEqual([counts.get(names[0] ?? ''), counts.get(names.at(-1) ?? '')], [undefined, undefined])
})
