import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBytes, textOf } from './payload.ts'

const MIB = 1024 * 1024

const LONG: readonly (readonly [string, string])[] = [
  ['one byte a character', 'a'.repeat(3 * MIB)],
  ['two bytes, pieces end inside', `a${'é'.repeat(MIB)}`],
  ['three bytes, pieces end inside', `ab${'€'.repeat(MIB)}`],
  ['four bytes, pieces end inside', `abc${'😀'.repeat(MIB)}`],
]

for (const [name, text] of LONG) {
  test(`a long text is read whole: ${name}`, () => {
    const bytes = Buffer.from(text)
    assert.equal(textOf(bytes) === text, true)
    const { payload, value } = parseBytes(Buffer.from(JSON.stringify({ text })))
    assert.equal(payload.kind, 'json')
    assert.equal(JSON.stringify(value) === JSON.stringify({ text }), true)
  })
}

test('bytes that only look like the insides of characters end too', () => {
  assert.equal(textOf(Buffer.alloc(2 * MIB, 0x80)).length, 2 * MIB)
})
