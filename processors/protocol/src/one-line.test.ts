import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printableLine, toOneLine } from './json.ts'

// Rules: docs/reference/nats2file-config.md

test('a record spread over lines becomes one line with the same meaning', () => {
  const record = { text: 'a\r\nb', list: [1, { deep: 'é' }] }
  const spread = JSON.stringify(record, null, 2).replaceAll('\n', '\r\n')
  const line = new TextDecoder().decode(toOneLine(new TextEncoder().encode(spread)))
  assert.doesNotMatch(line, /[\r\n]/)
  assert.deepEqual(JSON.parse(line), record)
})

test('a record that is one line already is not copied', () => {
  const bytes = new TextEncoder().encode('{"a":"b\\n"}')
  assert.equal(toOneLine(bytes), bytes)
})

test('a line for a terminal has no control characters, and the same meaning as JSON', () => {
  const text = 'a\u001b[31m\u009b2J\u007f\u202eb\u2066\u200f\u2028ü😀'
  const line = printableLine(Buffer.from(`{"text":\n"${text.replaceAll('\u001b', '\\u001b')}"}`))
  assert.match(line, /^[\x20-\x7e\xa0-\u1fff\ud800-\udfff]+$/)
  assert.deepEqual(JSON.parse(line), { text })
  assert.equal(
    printableLine(Buffer.from('no \u001b]0;title\u0007 JSON\tat all')),
    'no \\u001b]0;title\\u0007 JSON\tat all',
  )
})
