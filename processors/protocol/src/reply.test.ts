import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMessage } from './message.ts'
import { decodeReply } from './reply.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const KINDS: readonly (readonly [string, string])[] = [
  ['', 'nothing'],
  [' \n\t', 'nothing'],
  ['{}', 'nothing'],
  [' { } ', 'nothing'],
  ['{"a":1}', 'fields'],
  ['\uFEFF{"a":1}', 'fields'],
  ['null', 'not an object'],
  ['[]', 'not an object'],
  ['[{"a":1}]', 'not an object'],
  ['"text"', 'not an object'],
  ['7', 'not an object'],
  ['{"a":', 'not an object'],
  ['{} {}', 'not an object'],
]

test('wire 2: no bytes, white space and {} are nothing to do; what is not an object is told apart', () => {
  for (const [text, kind] of KINDS) assert.equal(decodeReply(bytes(text)).kind, kind, JSON.stringify(text))
})

test('wire 2: __proto__ in a reply is a key like any other and changes no prototype', () => {
  const reply = decodeReply(bytes('{"__proto__":{"polluted":true},"constructor":1,"b":null}'))
  assert.equal(reply.kind, 'fields')
  assert.deepEqual(reply.kind === 'fields' ? [...reply.fields.keys()] : [], ['__proto__', 'constructor', 'b'])
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.deepEqual([...(decodeMessage(bytes('{"__proto__":1}')) ?? [])], [['__proto__', 1]])
})

test('wire 2: any bytes are decoded to one of the three kinds or refused, without an exception', () => {
  const random = randomBytes(7)
  for (let round = 0; round < 5_000; round++) {
    const message = Uint8Array.from({ length: random() % 24 }, () => random())
    assert.match(decodeReply(message).kind, /^(nothing|fields|not an object)$/)
    const fields = decodeMessage(message)
    assert.ok(fields === undefined || fields instanceof Map)
  }
  for (const text of mutations('{"a":[1,{"b":"\\u00e9"}],"__proto__":null}', random)) decodeReply(bytes(text))
})

test('a reply that nests 100,000 deep is decoded without an exception', () => {
  assert.equal(decodeReply(bytes(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).kind, 'fields')
  assert.equal(decodeReply(bytes('['.repeat(100_000))).kind, 'not an object')
})

/** A linear congruential generator, so that a failing run can be repeated. */
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
