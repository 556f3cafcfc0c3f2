import assert from 'node:assert/strict'
import { test } from 'node:test'
import { USAGE_MEMBERS } from '@llm-gateway/protocol'
import { ANSWERS_UNDER_TEST } from '@llm-gateway/protocol/dialects-under-test'
import { createJsonEngine } from '../json/json-scan.ts'
import { usageOfBytes } from './answer-usage.ts'

// Rules: docs/reference/metrics.md#gateway, docs/reference/record.md#payloads

const DEPTH = 1_000
const json = createJsonEngine()
const usageOf = (bytes: Buffer) => usageOfBytes(bytes, json.scan(bytes, DEPTH))

/** Returns the body that a record shows as `payload`. */
function bodyOf(payload: unknown): Buffer {
  if (typeof payload === 'string') return Buffer.from(payload)
  if (typeof payload !== 'object' || payload === null || !('base64' in payload))
    return Buffer.from(JSON.stringify(payload))
  return Buffer.from(String(payload.base64), 'base64')
}

for (const { dialect, payload, usage } of ANSWERS_UNDER_TEST) {
  test(`the tokens of an answer are found without parsing it: ${dialect}`, () => {
    const body = bodyOf(payload)
    assert.deepEqual(usageOf(body), usage)
    const scan = json.begin(DEPTH, USAGE_MEMBERS)
    for (let at = 0; at < body.length; at += 7) scan.add(body.subarray(at, at + 7))
    assert.deepEqual(usageOfBytes(body, scan.end()), usage)
  })
}

const MIB = 1024 * 1024
const long = 'x'.repeat(MIB)
const END = { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 }, modelVersion: 'm' }
const SEVEN = { prompt: 3, completion: 4, total: 7 }

test('the tokens of a long unassembled stream are read from its end', () => {
  const first = { candidates: [{ content: { parts: [{ text: long }] } }] }
  assert.deepEqual(usageOf(Buffer.from(JSON.stringify([first, END], undefined, 2))), SEVEN)
  for (const prefix of ['data: ', '']) {
    const lines = [first, END].map((chunk) => `${prefix}${JSON.stringify(chunk)}\n\n`).join('')
    assert.deepEqual(usageOf(Buffer.from(lines)), SEVEN)
  }
})

const QUOTED = JSON.stringify('"usageMetadata":{"promptTokenCount":1} {"usage":{"prompt_tokens":1}}')
const OTHERS: readonly (readonly [title: string, body: string | Buffer])[] = [
  ['an empty body', ''],
  ['a list without usage', '[{"a":1}]'],
  ['a usage that a model wrote into its text', `[{"text":${QUOTED}}]`],
  ['a list whose usage is not an object', '[{"usageMetadata":7}]'],
  ['a torn usage', Buffer.from([0xff, ...Buffer.from('{"usage":{"inputTokens":1')])],
  ['a usage of 100 KB', JSON.stringify({ usage: { prompt_tokens: 1, more: 'x'.repeat(100_000) } })],
  ['lines of broken objects', '{"usage":\n'.repeat(100_000)],
  ['a list behind a megabyte of white space', `${' '.repeat(MIB)}[{"usageMetadata":{"promptTokenCount":1}}]`],
]

for (const [title, body] of OTHERS) {
  test(`no tokens are read from ${title}`, () => assert.equal(usageOf(Buffer.from(body)), undefined))
}
