import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonMembers } from './json-members.ts'

/** Strings whose ends lie around the place from which the system searches for the quote. */
const STRINGS = Array.from({ length: 80 }, (_, length) => [
  'x'.repeat(length),
  '\\'.repeat(length),
  `${'x'.repeat(length)}"`,
  `${'"'.repeat(length)}\\`,
  `${'\\'.repeat(length)}"{[,]}:`,
  `${'x'.repeat(length)}"${'x'.repeat(length)}\\`,
]).flat()
const VALUES: readonly unknown[] = [1, -2.5e-7, true, null, '', [], {}, [[[]]], { a: { b: [{ c: 1 }] } }, ...STRINGS]

function textAt(bytes: Uint8Array, { start, end }: { readonly start: number; readonly end: number }): unknown {
  return JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
}

test('members are found as a parser finds them, whatever their values', () => {
  for (const space of ['', ' \n\t']) {
    for (const value of VALUES) {
      const object = { first: value, '"{[': value, last: [value, { value }] }
      const bytes = Buffer.from(`${space}${JSON.stringify(object, null, space === '' ? 0 : 2)}`)
      const members = jsonMembers(bytes, 0) ?? []
      assert.deepEqual(Object.fromEntries(members.map((member) => [member.name, textAt(bytes, member)])), object)
    }
  }
})

test('the members of chosen objects are found in the same pass, and other values are skipped', () => {
  const bytes = Buffer.from('{"a":{"b":{"c":1},"d":2},"e":{"b":{}},"a":[1],"f":3}')
  const members = jsonMembers(bytes, 0, (name) =>
    name === 'a' ? (inner) => (inner === 'b' ? () => undefined : undefined) : undefined,
  )
  const names = (all: typeof members): unknown =>
    all?.map((member) => [member.name, textAt(bytes, member), names(member.members)])
  assert.deepEqual(names(members), [
    [
      'a',
      { b: { c: 1 }, d: 2 },
      [
        ['b', { c: 1 }, [['c', 1, undefined]]],
        ['d', 2, undefined],
      ],
    ],
    ['e', { b: {} }, undefined],
    ['a', [1], undefined],
    ['f', 3, undefined],
  ])
})

test('an incomplete object has no members, wherever it ends', () => {
  const text = '{"a":{"b":"\\\\\\"x"},"c":[1,{"d":"]"}],"e":1.5,"f":null}'
  for (let end = 0; end < text.length; end += 1) {
    for (const choose of [undefined, () => () => undefined])
      assert.equal(jsonMembers(Buffer.from(text.slice(0, end)), 0, choose), undefined, text.slice(0, end))
  }
})

test('an object that repeats a name with many members gets no more room than a record needs', () => {
  const side = (members: number): string => `{${Array.from({ length: members }, () => '"":1').join(',')}}`
  const text = (sides: number): Buffer =>
    Buffer.from(`{${Array.from({ length: sides }, () => `"a":${side(9_999)}`).join(',')}}`)
  const choose = () => () => undefined
  assert.equal(jsonMembers(text(4), 0, choose)?.length, 4)
  assert.equal(jsonMembers(text(6), 0, choose) === undefined, true)
})
