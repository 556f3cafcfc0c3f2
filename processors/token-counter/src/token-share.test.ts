import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCounts, encodeCounts } from './token-share.ts'

test('counts are decoded as they were encoded, and bytes that no token counter wrote are no counts', () => {
  const counts = new Map([['total_tokens', 7]])
  assert.deepEqual(decodeCounts(encodeCounts(counts)), counts)
  // The main thread would take long to parse a megabyte of objects.
  for (const text of ['', '[]', '{"total_tokens":-1}', `{"total_tokens":7,"more":[${'{},'.repeat(50_000)}{}]}`]) {
    assert.deepEqual(decodeCounts(Buffer.from(text)), new Map(), text.slice(0, 40))
  }
})
