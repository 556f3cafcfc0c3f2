import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatBody, readSerial, writeSerial } from './chat-body.ts'
import { SIZES } from './options.ts'

test('a chat request has exactly its size, is compact JSON and keeps its serial', () => {
  for (const size of Object.values(SIZES)) {
    for (const text of ['ascii', 'unicode'] as const) {
      const { bytes, serialOffset } = chatBody(size, text)
      assert.equal(bytes.length, size)
      writeSerial(bytes, serialOffset, 1_234_567)
      assert.equal(readSerial(bytes, serialOffset), 1_234_567)
      const parsed = JSON.parse(bytes.toString())
      assert.equal(parsed.user, 'bench-0001234567')
      assert.equal(JSON.stringify(parsed), bytes.toString())
    }
  }
})

test('large chat requests have several messages with escapes and the requested amount of text', () => {
  const ascii = chatBody(10_240, 'ascii').bytes.toString()
  assert.ok(JSON.parse(ascii).messages.length >= 5)
  for (const written of ['\\n', '\\"', '\\\\', '\\t']) assert.ok(ascii.includes(written))
  assert.doesNotMatch(ascii, /[^ -~]/)
  assert.match(chatBody(10_240, 'unicode').bytes.toString(), /価格/)
  assert.equal(JSON.parse(chatBody(512, 'ascii', true).bytes.toString()).stream, true)
})
