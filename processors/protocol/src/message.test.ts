import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMessage } from './message.ts'

// Rules: docs/reference/bus.md#request

const bytes = (text: string) => new TextEncoder().encode(text)

test('__proto__ in a message is a key like any other', () => {
  assert.deepEqual([...(decodeMessage(bytes('{"__proto__":1}')) ?? [])], [['__proto__', 1]])
})

test('any bytes decode to a message or to undefined, without an exception', () => {
  const random = randomBytes(7)
  for (let round = 0; round < 5_000; round++) {
    const fields = decodeMessage(Uint8Array.from({ length: random() % 24 }, () => random()))
    assert.ok(fields === undefined || fields instanceof Map)
  }
  for (const text of mutations('{"a":[1,{"b":"\\u00e9"}],"__proto__":null}', random)) decodeMessage(bytes(text))
})

/** Makes a linear congruential generator, so that a failing run can be repeated. */
function randomBytes(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  }
}

function mutations(text: string, random: () => number): readonly string[] {
  return Array.from({ length: 5_000 }, () => {
    const at = random() % text.length
    return text.slice(0, at) + String.fromCharCode(random()) + text.slice(at + (random() % 3))
  })
}
