import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMaskIndex } from './disguise.ts'
import { createSpelling } from './spelling.ts'

const spelling = createSpelling(
  new Set(['fuck', 'idiot', 'kill', 'you', 'are', 'ass', 'shit', 'stupid']),
  createMaskIndex(['fuck', 'shit', 'ass']),
)

/** A piece of folded text and its words. */
const READ: readonly (readonly [string, string])[] = [
  ['idiot', 'idiot'],
  ['idiots', 'idiot'],
  ['1d10t', 'idiot'],
  ['id-iot', 'idiot'],
  ['stuupid', 'stupid'],
  ['killlll', 'kill'],
  ['k1ll!', 'kill'],
  ['f**k', 'fuck'],
  ['f***', 'fuck'],
  ['f*u*c*k', 'fuck'],
  ['unfuckable', 'fuck'],
  ["you're", 'you are'],
  ['youre', 'you are'],
  ["don't", 'do not'],
  ["it's", 'it is'],
  ["dog's", 'dog'],
  ['u', 'you'],
  ['and/or', 'and or'],
  ['well-known', 'well known'],
  ['scunthorpe', 'scunthorpe'],
  ['mishitting', 'mishitting'],
  ['assess', 'assess'],
  ['a*s', 'a s'],
  ['2**8', '2**8'],
  ['$5', '$5'],
  ['---', ''],
]
for (const [piece, words] of READ) {
  test(`${piece} is read as ${words === '' ? 'nothing' : words}`, () =>
    assert.equal(spelling.read(piece).join(' '), words))
}

test('disguised words are recognized and plain words are not', () => {
  assert.deepEqual(
    ['1d10t', 'f**k', 'id-iot', 'idiot', 'well-known', '$5'].map((piece) => spelling.isDisguised(piece)),
    [true, true, true, false, false, false],
  )
})
