import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonLimits, parseInSteps, parseInTurns } from './parse-in-steps.ts'
import { createTurns } from './turns.ts'

function parsed(text: string, limits?: JsonLimits): unknown {
  const steps = parseInSteps(text, limits)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

const LONG = 'x'.repeat(70_000)
const entries = Array.from({ length: 3_000 }, (_, index) => ({
  path: `/a-${index}/`,
  'ö"\\': ['[{,:', null, -1.5e3, ''],
}))

const values: readonly (readonly [string, unknown])[] = [
  ['a short value', { a: [1, 'b', null, true] }],
  ['a long list', entries],
  [
    'long lists in an object, beside short ones',
    { none: [], routers: entries, deep: { er: [entries, {}, entries] }, one: 1 },
  ],
  ['a long text', LONG],
  ['long texts with the marks of JSON', { [`${LONG}"`]: `\\"${LONG}\\`, b: [`]}${LONG}`, '😀'] }],
  ['members that have the names of a prototype', JSON.parse(`{"__proto__": {"a": "${LONG}"}, "constructor": 1}`)],
]
for (const [what, value] of values) {
  for (const [how, indent] of [
    ['dense', 0],
    ['with white space', 2],
  ] as const) {
    test(`${what}, ${how}, is read as JSON.parse reads it`, () => {
      const text = ` ${JSON.stringify(value, undefined, indent)}\n`
      assert.deepEqual(parsed(text), JSON.parse(text))
    })
  }
}

const broken: readonly (readonly [string, string])[] = [
  ['an empty text', ''],
  ['a text without an end', `["${LONG}`],
  ['a list without an end', `["${LONG}"`],
  ['a bracket too many', `["${LONG}"]]`],
  ['a bracket of another kind', `["${LONG}"}`],
  ['an object that ends as a list', `{"a":"${LONG}"]`],
  ['two values', `["${LONG}"] ["${LONG}"]`],
  ['two values in a list', `[["${LONG}"] ["${LONG}"]]`],
  ['a value behind a long one', `[["${LONG}"] 1]`],
  ['a comma at the end of a list', `["${LONG}",]`],
  ['a comma at the end of an object', `{"a":"${LONG}",}`],
  ['a comma outside', `["${LONG}"],`],
  ['a member without a name', `{"${LONG}"}`],
  ['a member with two names', `{"a":"b":"${LONG}"}`],
  ['a member of a list with a name', `["a":"${LONG}"]`],
  ['a name that is a number', `{1:"${LONG}"}`],
  ['a name that is a long list', `{["${LONG}"]:1}`],
  ['a control character in a text', `["${LONG}\n"]`],
  ['an unknown word', `[${LONG}]`],
]
for (const [what, text] of broken) {
  test(`${what} is a SyntaxError`, () => {
    assert.throws(() => JSON.parse(text), SyntaxError)
    assert.throws(() => parsed(text), SyntaxError)
  })
}

const tooMuch: readonly (readonly [string, string])[] = [
  ['too many levels', `{"a":${'['.repeat(1_000)}"${LONG}"${']'.repeat(1_000)}}`],
  ['too many values', `[${'[],'.repeat(1_000_001)}1]`],
]
for (const [what, text] of tooMuch) {
  test(`a text with ${what} is a SyntaxError, since its objects would take gigabytes`, () => {
    assert.throws(() => parsed(text, { mostLevels: 1_000, mostValues: 2_000_000 }), SyntaxError)
    assert.deepEqual(parsed(text), JSON.parse(text))
  })
}

test('a long text takes many steps, of which none reads more than a part', () => {
  const steps = parseInSteps(JSON.stringify({ routers: entries }))
  let count = 0
  while (steps.next().done !== true) count += 1
  assert.ok(count >= 4, `${count}`)
})

test('others have their turns of the event loop while a long text is parsed', async () => {
  const text = `[${'[],'.repeat(200_000)}1]`
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const value = await parseInTurns(text, createTurns())
  clearImmediate(counting)
  assert.ok(Array.isArray(value) && value.length === 200_001)
  assert.ok(turns > 2, `${turns}`)
})
