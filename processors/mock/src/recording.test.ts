import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeRecording, encodeRecording, type Recording } from './recording.ts'

const RECORDINGS: readonly Recording[] = [
  { status: 200, headers: {}, payload: null },
  { status: 404, headers: { 'X-A': ['1', '2'] }, payload: 'text with "quotes" and ü' },
  { status: 599, headers: JSON.parse('{"__proto__":["a"]}'), payload: JSON.parse('{"__proto__":{"a":1}}') },
]

test('a recording is read as it was written', () => {
  for (const recording of RECORDINGS) {
    const bytes = encodeRecording(recording)
    assert.ok(bytes !== undefined)
    assert.equal(JSON.stringify(decodeRecording(bytes)), JSON.stringify(recording))
  }
})

const NONE = [
  '',
  '{',
  '[]',
  'null',
  '{}',
  '{"status":200}',
  '{"status":"200","headers":{}}',
  '{"status":700,"headers":{}}',
  '{"status":200,"headers":[]}',
  '{"status":200,"headers":{"a":"b"}}',
  '{"status":200,"headers":{"a":[1]}}',
  '{"status":200,"headers":{"a":[]}}',
]

test('foreign bytes in the store are not read as a recording', () => {
  for (const text of NONE) assert.equal(decodeRecording(Buffer.from(text)), undefined, text)
})

test('a payload nested deeper than the stack is not recorded and causes no error', () => {
  let payload: unknown = 1
  for (let depth = 0; depth < 200_000; depth += 1) payload = [payload]
  assert.equal(encodeRecording({ status: 200, headers: {}, payload }), undefined)
})
