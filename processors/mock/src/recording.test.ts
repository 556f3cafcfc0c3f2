import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRecording, type Recording, replayOf } from './recording.ts'

const RECORDINGS: readonly Recording[] = [
  { status: 200, headers: {}, payload: null },
  { status: 404, headers: { 'X-A': ['1', '2'] }, payload: 'text with "quotes" and ü' },
  { status: 599, headers: JSON.parse('{"__proto__":["a"]}'), payload: JSON.parse('{"__proto__":{"a":1}}') },
  { status: 200, headers: { 'X-A': ['},"payload":1', '}', '\\"},"payload":'] }, payload: '},"payload":2}' },
  { status: 201, headers: { '2': ['b'], '1': ['a'] }, payload: [0.1, -0, 1e21, '\ud800', { 2: 1, 1: 2, a: {} }] },
]

const replay = (text: string): string | undefined => {
  const answer = replayOf(Buffer.from(text))
  return answer && Buffer.from(answer.join()).toString()
}

test('a replay has the text of the recorded fields, byte by byte', () => {
  for (const recording of RECORDINGS) {
    const bytes = encodeRecording(recording)
    assert.ok(bytes !== undefined)
    const { payload, headers, status } = recording
    const expected = JSON.stringify({ egress_payload: payload, egress_headers: headers, egress_status_code: status })
    assert.equal(replay(Buffer.from(bytes).toString()), expected)
  }
})

test('a recording of an earlier version is replayed', () => {
  assert.equal(
    replay('{"status":200,"headers":{"Content-Type":["application/json"]},"payload":{"id":1}}'),
    '{"egress_payload":{"id":1},"egress_headers":{"Content-Type":["application/json"]},"egress_status_code":200}',
  )
})

test('replays of a recording share its payload, which no replay parses', () => {
  // If the payload were parsed, it would not be replayed.
  const bytes = Buffer.from('{"status":200,"headers":{},"payload":never parsed}')
  const answer = replayOf(bytes)
  assert.ok(answer)
  bytes.write('shared with', bytes.indexOf('never'))
  assert.match(Buffer.from(answer.join()).toString(), /^\{"egress_payload":shared with/)
})

const NONE = [
  '',
  '{',
  '[]',
  'null',
  '{}',
  '{"status":200}',
  '{"status":200,"headers":{}}',
  '{"status":"200","headers":{},"payload":1}',
  '{"status":700,"headers":{},"payload":1}',
  '{"status":200,"headers":[],"payload":1}',
  '{"status":200,"headers":{"a":"b"},"payload":1}',
  '{"status":200,"headers":{"a":[1]},"payload":1}',
  '{"status":200,"headers":{"a":[]},"payload":1}',
  '{"status":200,"headers":{},"payload":}',
  '{"status":200,"headers":{},"payload":1',
  'x{"status":200,"headers":{},"payload":1}',
]

test('foreign bytes in the store are not read as a recording', () => {
  for (const text of NONE) assert.equal(replay(text), undefined, text)
})

test('a payload nested deeper than the stack is not recorded and causes no error', () => {
  let payload: unknown = 1
  for (let depth = 0; depth < 200_000; depth += 1) payload = [payload]
  assert.equal(encodeRecording({ status: 200, headers: {}, payload }), undefined)
})
