import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOneLine } from './json.ts'

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
