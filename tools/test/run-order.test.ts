import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inRunOrder } from './run-order.ts'

test('the files below test/ run first, each part by its names', () => {
  const files = ['tools/test/a.test.ts', 'test/spec/b.test.ts', 'conf/src/a.test.ts', 'test/spec/a.test.ts']
  const order = ['test/spec/a.test.ts', 'test/spec/b.test.ts', 'conf/src/a.test.ts', 'tools/test/a.test.ts']
  assert.deepEqual(inRunOrder(files), order)
})
