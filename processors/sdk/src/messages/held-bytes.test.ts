import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldBytes } from './held-bytes.ts'

const MOST = 1_000_000
const LARGE: readonly (readonly [what: string, value: unknown])[] = [
  ['a text', 'x'.repeat(100_000)],
  ['bytes', new Uint8Array(100_000)],
  ['a text in a map', new Map([['text', 'x'.repeat(100_000)]])],
  ['bytes in an object in a list', [{ bytes: new Uint8Array(100_000) }]],
  ['many members', Array.from({ length: 100_000 }, () => null)],
]

for (const [what, value] of LARGE) {
  test(`the memory of ${what} is counted, up to the limit`, () => {
    assert.ok(heldBytes(value, MOST) >= 100_000)
    assert.equal(heldBytes(value, 50_000), 50_000)
  })
}

test('a few fields take little memory', () => {
  for (const value of [undefined, null, 7, {}, new Map([['gl_path', '/a/']]), { scores: { toxic: 0.1 } }]) {
    assert.ok(heldBytes(value, MOST) < 1_000)
  }
})

test('the count of a value that is nested deeply, or contains itself, ends', () => {
  let nested: unknown[] = []
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested]
  assert.ok(heldBytes(nested, MOST) === MOST)
  const own: unknown[] = []
  own.push(own)
  assert.equal(heldBytes(own, MOST), MOST)
})
