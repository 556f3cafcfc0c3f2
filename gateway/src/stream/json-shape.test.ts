import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonShape } from './json-shape.ts'

const SURROGATES = Buffer.from(JSON.stringify({ text: '\ud800'.repeat(500_000) }))

for (const size of [SURROGATES.length, 65_536, 6, 5, 3, 1]) {
  test(`halves of surrogate pairs have their price in pieces of ${size} bytes`, () => {
    const shape = new JsonShape()
    for (let end = size; end < SURROGATES.length; end += size) shape.scan(SURROGATES, 0, end)
    shape.scan(SURROGATES, 0, SURROGATES.length)
    assert.equal(shape.isBeyondBounds, true)
  })
}

for (const unit of ['\\u0434', '\\ud7a3', '\\n', '\\"', 'я', 'a']) {
  test(`a text of 3 MB of ${unit} is within bounds`, () => {
    const shape = new JsonShape()
    const bytes = Buffer.from(`{"text":"${unit.repeat(3_000_000 / Buffer.byteLength(unit))}"}`)
    shape.scan(bytes, 0, bytes.length)
    assert.equal(shape.isBeyondBounds, false)
  })
}
