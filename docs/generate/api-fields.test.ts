import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiForms, typeText } from './api-fields.ts'

const text = { type: 'string', description: 'A text.' }
const fault = { $ref: '#/components/schemas/Fault', description: 'A fault.' }

test('the fields of nested objects, lists and maps follow their parents, and a shared object is a link', () => {
  const schema = {
    properties: {
      plain: text,
      inner: { type: 'object', properties: { a: text }, required: ['a'] },
      list: { type: 'array', items: { type: 'object', properties: { b: text } } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { c: { ...text, default: 'x' } } } },
      faults: { type: 'array', items: fault },
    },
  }
  const [form] = apiForms(schema)
  assert.deepEqual(
    form?.fields.map(({ path, type, required, defaultValue }) => [path, type, required, defaultValue]),
    [
      ['plain', 'string', false, undefined],
      ['inner', 'object', false, undefined],
      ['inner.a', 'string', true, undefined],
      ['list', 'list of object', false, undefined],
      ['list[].b', 'string', false, undefined],
      ['map', 'map of object', false, undefined],
      ['map.<name>.c', 'string', false, '"x"'],
      ['faults', 'list of [Fault](#fault)', false, undefined],
    ],
  )
})

test('forms that their descriptions tell apart stay apart, and other forms become one', () => {
  const one = { type: 'object', properties: { kind: { const: 'one' }, a: text } }
  const other = { type: 'object', properties: { kind: { const: 'other' }, b: text } }
  const told = [
    { ...one, description: 'The first.' },
    { ...other, description: 'The second.' },
  ]
  assert.deepEqual(
    apiForms({ oneOf: told }).map(({ description, fields }) => [description, fields.map(({ path }) => path)]),
    [
      ['The first.', ['kind', 'a']],
      ['The second.', ['kind', 'b']],
    ],
  )
  const edition = { properties: { edition: text } }
  const [merged, ...more] = apiForms({ allOf: [edition, { anyOf: [one, other] }] })
  assert.deepEqual(more, [])
  assert.deepEqual(
    merged?.fields.map(({ path, type }) => `${path} ${type}`),
    ['edition string', 'kind `"one"`, `"other"`', 'a string', 'b string'],
  )
})

for (const { schema, expected } of [
  { schema: { anyOf: [fault, { type: 'null' }] }, expected: '[Fault](#fault) or null' },
  { schema: { type: ['number', 'null'] }, expected: 'number or null' },
  { schema: { enum: ['a', 'b'] }, expected: '`"a"`, `"b"`' },
  { schema: { type: 'string', maxLength: 4_096 }, expected: 'string (at most 4,096 characters)' },
  { schema: { type: 'integer', minimum: 1, maximum: 60 }, expected: 'integer 1 to 60' },
  { schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, expected: 'integer from 1' },
  { schema: { type: 'object', additionalProperties: {} }, expected: 'map of any JSON' },
  { schema: {}, expected: 'any JSON' },
]) {
  test(`the type of ${JSON.stringify(schema)} is ${expected}`, () => assert.equal(typeText(schema), expected))
}
