import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasEnded } from './has-ended.ts'

const STREAMS: readonly (readonly [readonly string[], boolean])[] = [
  [['data: {"a":1}\n\ndata: [DONE]\n\n'], true],
  [['data: {"a":1}\n\n', 'data: [DO', 'NE]\n', '\n'], true],
  [['data:[DONE]'], true],
  [['data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n'], true],
  [['event: message_stop\ndata: {"type":"message_stop"}\n\n'], true],
  [[`data: ${'x'.repeat(5_000)}\n\n`, 'data: [DONE]\n\n'], true],
  [['data: {"a":1}\n\n'], false],
  [['data: [DONE]\n\ndata: {"a":1}\n\n'], false],
  [['data: {"text":"data: [DONE]"}\n\n'], false],
  [['data: {"type":"message_delta"}\n\n'], false],
  [[], false],
]

for (const [chunks, ended] of STREAMS) {
  test(`wire 5: ${JSON.stringify(chunks).slice(-60)} has ${ended ? '' : 'not '}ended`, () => {
    assert.equal(hasEnded(chunks.map((chunk) => Buffer.from(chunk))), ended)
  })
}
