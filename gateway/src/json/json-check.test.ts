import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate } from './generate.ts'
import { createJsonCheck } from './json-check.ts'

const WINDOW_BYTES = 65_536
const check = createJsonCheck()
const kindOf = (text: string): string => check.kindOf(Buffer.from(text))

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const TEXTS: readonly string[] = [
  ...[
    '{}',
    '[]',
    '""',
    '0',
    '-0',
    '1',
    '-12',
    '0.5',
    '1e5',
    '1E+5',
    '1.25e-7',
    'true',
    'false',
    'null',
    ' \t\n\r[ ]\n',
  ],
  ...['{"a":1}', '{ "a" : 1 , "b" : [ ] }', '[1,2,[3,{}]]', '{"a":{"b":{"c":[null,true,false,"x"]}}}', '{"a":1,"a":2}'],
  ...['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u0041\\ud83d\\ude00"', '"\\ud83d"', '"\u007f"', '"é€😀"', '{"__proto__":1}'],
  ...[
    '',
    ' ',
    '{',
    '[',
    '"',
    '}',
    ']',
    ',',
    ':',
    '{]',
    '[}',
    '[1}',
    '{"a":1]',
    '{,}',
    '[,]',
    '[1,]',
    '{"a":1,}',
    '{"a"}',
  ],
  ...['{"a":}', '{a:1}', '{1:1}', "{'a':1}", '{"a" 1}', '{"a":1 "b":2}', '[1 2]', '1 2', '{}{}', '[]]', '{}}', '""""'],
  ...['01', '-', '+1', '.5', '1.', '1.e5', '1e', '1e+', '--1', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '00'],
  ...['tru', 'truee', 'True', 'nul', 'nulll', 'fals', 'undefined', 'nil', 'tfalse'],
  ...[
    '"a',
    '"\\',
    '"\\x"',
    '"\\u"',
    '"\\u12"',
    '"\\u123g"',
    '"\\U0041"',
    '"\n"',
    '"\t"',
    '"\u0000"',
    '"\u001f"',
    '"a"b',
  ],
  ...['\ufeff{}', '\u00a0{}', '\v{}', '{}\u0000', '// x\n{}', '{}/* x */', '[1,\u2028 2]'],
]

for (const text of TEXTS) {
  test(`wire 5: ${JSON.stringify(text)} is JSON where JSON.parse says so`, () => {
    assert.equal(kindOf(text), parses(text) ? 'json' : 'text')
  })
}

test('wire 5: any value is JSON, however it is spaced', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom(0, 1, '\t', '\r\n'), (text, space) => {
      assert.equal(kindOf(JSON.stringify(JSON.parse(text), null, space)), 'json')
    }),
    { numRuns: 500 },
  )
})

test('wire 5: JSON with a byte changed, left out or added is judged as JSON.parse judges it', () => {
  const bytes = Buffer.from(
    '{"messages":[{"role":"user","content":"a\\n\\"b\\" \\u00e9 c"}],"n":-1.5e+3,"t":[true,null]}',
  )
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.nat(2), fc.integer({ min: 0, max: 0x7f }), (at, cut, byte) => {
      const changed = Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + cut)])
      assert.equal(check.kindOf(changed), parses(changed.toString()) ? 'json' : 'text')
    }),
    { numRuns: 5_000 },
  )
})

test('wire 5: bytes that are no UTF-8 are binary', () => {
  for (const bytes of [[0xff], [0x22, 0xc3, 0x22], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
    assert.equal(check.kindOf(Buffer.from(bytes)), 'binary')
  }
})

const TOKENS = ['"\\u00e9"', '-1.5e-10', 'false', '"\\\\"', '{"a":[]}', '"plain text of more than sixteen bytes"']

for (const token of TOKENS) {
  test(`wire 5: ${token} is read alike wherever it lies, across the end of a window too`, () => {
    for (let before = WINDOW_BYTES - 64; before <= WINDOW_BYTES + 2; before += 1) {
      const text = `[${' '.repeat(before - 1)}${token}]`
      assert.equal(kindOf(text), 'json', String(before))
      assert.equal(
        kindOf(text.replace(/.\]$/, ']')),
        parses(text.replace(/.\]$/, ']')) ? 'json' : 'text',
        String(before),
      )
    }
  })
}

test('wire 5: containers may be open to any depth, and each must be closed by its own kind', () => {
  for (const depth of [31, 32, 33, 1_000, 200_000, 3_000_000]) {
    assert.equal(kindOf('['.repeat(depth) + ']'.repeat(depth)), 'json')
    assert.equal(kindOf('['.repeat(depth) + ']'.repeat(depth - 1)), 'text')
    assert.equal(kindOf('['.repeat(depth) + ']'.repeat(depth + 1)), 'text')
    assert.equal(kindOf(`${'{"a":['.repeat(depth / 2)}0${']}'.repeat(depth / 2)}`), 'json')
    assert.equal(kindOf(`${'{"a":['.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`), 'text')
  }
  assert.equal(kindOf('{}'), 'json')
})

test('the machine is what json-machine.wat says', async () => {
  assert.equal(await readFile(join(import.meta.dirname, 'json-machine.ts'), 'utf8'), await generate())
})
