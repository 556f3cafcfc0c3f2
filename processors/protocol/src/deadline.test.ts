import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeadline } from './message.ts'

// Rules: docs/reference/bus.md#request

test('a deadline is in Unix milliseconds; a message with an invalid value never expires', () => {
  assert.equal(readDeadline('1763690400123'), 1763690400123)
  assert.equal(readDeadline('0'), 0)
  for (const value of [undefined, '', ' ', '-1', '1.5', '1e9', 'soon', '9'.repeat(16), '1\r\n']) {
    assert.equal(readDeadline(value), undefined, String(value))
  }
})
