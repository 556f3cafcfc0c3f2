import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectReferencedNames, expand, expandAll, lookUp } from './env-reference.ts'

// Rules: docs/reference/configuration-rules.md#references

const environment = { A: 'a', EMPTY: '', QUOTED: '"\\\n{}', NESTED: '${A} $A $${A}', B2_c: 'b' }

const texts: readonly (readonly [string, string, readonly string[]])[] = [
  ['', '', []],
  ['plain', 'plain', []],
  ['${A}', 'a', ['A']],
  ['x${A}y${B2_c}z', 'xaybz', ['A', 'B2_c']],
  ['${A}${A}', 'aa', ['A', 'A']],
  ['$A', 'a', ['A']],
  ['$A ', '$A ', []],
  ['x$A', 'x$A', []],
  ['Bearer $A', 'Bearer $A', []],
  ['$${A}', '${A}', []],
  ['$${A}${A}', '${A}a', ['A']],
  ['$$${A}', '$${A}', []],
  ['$$', '$$', []],
  ['$', '$', []],
  ['${', '${', []],
  ['${}', '${}', []],
  ['${1A}', '${1A}', []],
  ['${A B}', '${A B}', []],
  ['${${A}}', '${a}', ['A']],
  ['${UNSET}', '', ['UNSET']],
  ['x${EMPTY}', 'x', ['EMPTY']],
  ['${QUOTED}', '"\\\n{}', ['QUOTED']],
  ['${NESTED}', '${A} $A $${A}', ['NESTED']],
  ['${__proto__}', '', ['__proto__']],
  ['${toString}', '', ['toString']],
]
for (const [written, text, names] of texts) {
  test(`${JSON.stringify(written)} becomes ${JSON.stringify(text)}`, () => {
    assert.deepEqual(expand(written, { environment }), { text, names })
  })
}

const V = 'V_0123456789abcdef'
const places: readonly (readonly [string, Parameters<typeof lookUp>, string | undefined])[] = [
  ['the environment comes first', ['A', { environment, secrets: new Map([['A', 'file']]) }], 'a'],
  ['an empty variable counts as set', ['EMPTY', { environment, secrets: new Map([['EMPTY', 'file']]) }], ''],
  ['SECRETS_DIR comes next', ['KEY', { environment, secrets: new Map([['KEY', 'file']]) }], 'file'],
  ['a V_ name comes only from SECRETS_DIR', [V, { environment: { [V]: 'env' }, secrets: new Map() }], undefined],
  ['a V_ name is read from SECRETS_DIR', [V, { environment: {}, secrets: new Map([[V, 'file']]) }], 'file'],
  ['without SECRETS_DIR a V_ name is a variable', [V, { environment: { [V]: 'env' } }], 'env'],
  ['a longer V_ name is like any other', [`${V}0`, { environment: { [`${V}0`]: 'e' }, secrets: new Map() }], 'e'],
]
for (const [title, [name, references], value] of places) {
  test(`lookup, ${title}`, () => assert.equal(lookUp(name, references), value))
}

test('expansion leaves keys, numbers and null alone, and __proto__ is a key like any other', () => {
  const written: unknown = JSON.parse('{"${A}":["${A}",1,null,true],"__proto__":{"x":"${A}"}}')
  const expanded = expandAll(written, { environment })
  assert.equal(JSON.stringify(expanded), '{"${A}":["a",1,null,true],"__proto__":{"x":"a"}}')
  assert.equal(Object.getPrototypeOf(expanded), Object.prototype)
})

test('referenced names are collected from all strings of a value', () => {
  const names = new Set<string>()
  collectReferencedNames({ a: ['${A}', { b: '$B2_c ${C}' }], c: '$D' }, names)
  assert.deepEqual([...names], ['A', 'C', 'D'])
})
