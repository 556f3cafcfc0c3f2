import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorkQueue } from '../work/work-queue.ts'
import { decodeString } from './decode-string.ts'

const slice = new WorkQueue().begin('/a/')

function expected(json: string): Buffer {
  return Buffer.from(String(JSON.parse(json)))
}

test('a JSON string is decoded as by JSON.parse, lone surrogates included', () => {
  const piece = fc.constantFrom(
    ...['a', 'é', '€', '😀', '\\n', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r', '\\t', '\\u0000', '\\u00E9', '\\u20ac'],
    ...[
      '\\ud83d\\ude00',
      '\\ud83d',
      '\\ude00',
      '\\ud83d\\n',
      '\\ud83d\\ud83d',
      '\\uD83D\\\\',
      '\\uffff',
      ' x'.repeat(20),
    ],
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const json = `"${pieces.join('')}"`
      assert.deepEqual(decodeString(Buffer.from(json), slice), expected(json))
    }),
    { numRuns: 3_000 },
  )
})

for (const [name, piece] of [
  ['no escape', 'x'],
  ['escapes alone', '\\ud83d\\ude00'],
  ['escapes in text', 'a line of text\\n'],
] as const) {
  test(`a long JSON string is decoded too: ${name}`, async () => {
    const json = `"${piece.repeat(100_000)}"`
    assert.equal(expected(json).equals(await decodeString(Buffer.from(json), slice)), true)
  })
}
