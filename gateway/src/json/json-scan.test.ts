import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate } from './generate.ts'
import { createJsonEngine } from './json-scan.ts'
import type { ScanResult } from './scan-result.ts'

// Rules: docs/reference/http.md#bodies, docs/reference/record.md#payloads

const WINDOW_BYTES = 65_536
const engine = createJsonEngine()
const DEPTH = 1_000
const kindOf = (text: string): string => engine.scan(Buffer.from(text), DEPTH).kind

/** Scans bytes cut anywhere, with another text scanned between any two chunks. */
function inChunks(bytes: Buffer, cuts: readonly number[], depthLimit = DEPTH): ScanResult {
  const scan = engine.begin(depthLimit)
  const other = engine.begin(DEPTH)
  let start = 0
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    const chunk = Buffer.from(bytes.subarray(start, cut))
    scan.add(chunk)
    // The memory of a chunk may be reused for the next chunk.
    chunk.fill(0xff)
    other.add(Buffer.from(start === 0 ? '{"other":[[{},' : `0]],"${'other'.repeat(20)}":1,"other":[[`))
    start = cut
  }
  return scan.end()
}

const cuts = fc.array(fc.nat(), { maxLength: 12 })

/** Counts the values in a JSON value, including the value itself. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1)
}

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
  test(`${JSON.stringify(text)} gets the verdict of JSON.parse`, () => {
    assert.equal(kindOf(text), parses(text) ? 'json' : 'text')
  })
}

const spaced = fc
  .tuple(fc.json({ maxDepth: 8 }), fc.constantFrom(0, 1, '\t', '\r\n', ' '.repeat(10)), fc.constantFrom('', ' \n\t\r '))
  .map(([text, space, around]) => `${around}${JSON.stringify(JSON.parse(text), null, space)}${around}`)

test('any JSON value is recognized, with any white space and in any chunks', () => {
  fc.assert(
    fc.property(spaced, cuts, (text, cuts) => {
      const bytes = Buffer.from(text)
      const value: unknown = JSON.parse(text)
      for (const scanned of [engine.scan(bytes, DEPTH), inChunks(bytes, cuts)]) {
        assert.equal(scanned.kind, 'json')
        assert.equal(scanned.spaces, bytes.length - Buffer.byteLength(JSON.stringify(value)))
        assert.equal(scanned.values, countValues(value))
        assert.deepEqual(membersOf(bytes, scanned), entriesOf(value))
      }
    }),
    { numRuns: 2_000 },
  )
})

/** Returns the members parsed from their positions. */
function membersOf(bytes: Buffer, { members }: ScanResult): ReadonlyMap<string, unknown> {
  for (const { start, end } of members) {
    const text = bytes.toString('utf8', start, end)
    assert.equal(text, text.trim())
  }
  return new Map(members.map(({ name, start, end }) => [name, JSON.parse(bytes.toString('utf8', start, end))]))
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [])
}

test('invalid JSON is invalid in chunks too', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TEXTS), fc.string(), cuts, (text, more, cuts) => {
      for (const bytes of [Buffer.from(text), Buffer.from(text + more)]) {
        assert.equal(inChunks(bytes, cuts).kind, engine.scan(bytes, DEPTH).kind)
        assert.equal(inChunks(bytes, cuts).kind, parses(bytes.toString()) ? 'json' : 'text')
      }
    }),
    { numRuns: 2_000 },
  )
})

test('UTF-8 is checked across chunks, also after a syntax error', () => {
  const piece = fc.constantFrom('a', 'é', '€', '😀', '"', '\u{10ffff}', '\ud7ff', '\ue000')
  const byte = fc.constantFrom(0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0xf5, 0xff)
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: piece }, byte), { maxLength: 30 }), cuts, (pieces, cuts) => {
      const bytes = Buffer.concat(
        pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.of(piece))),
      )
      for (const whole of [bytes, Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')])]) {
        const expected = !isUtf8(whole) ? 'binary' : parses(whole.toString()) ? 'json' : 'text'
        assert.equal(inChunks(whole, cuts).kind, expected)
        assert.equal(inChunks(whole, [...whole.keys()]).kind, expected)
        assert.equal(engine.scan(whole, DEPTH).kind, expected)
      }
    }),
    { numRuns: 3_000 },
  )
})

test('many texts are scanned at once, each with its own state', () => {
  const texts = Array.from({ length: 50 }, (_, i) => {
    const open = i * 7
    return `${'['.repeat(open)}{"name${i}":"${'x'.repeat(i * 300)}", "n" : ${i}}${']'.repeat(open)}`
  })
  const scans = texts.map((text) => ({ scan: engine.begin(DEPTH), bytes: Buffer.from(text) }))
  for (let at = 0; at < 30_000; at += 97) for (const { scan, bytes } of scans) scan.add(bytes.subarray(at, at + 97))
  scans.forEach(({ scan, bytes }, i) => {
    const { kind, spaces, values, members } = scan.end()
    assert.deepEqual([kind, spaces, values], ['json', 3, i * 7 + 3])
    assert.deepEqual(members, engine.scan(bytes, DEPTH).members)
    assert.equal(members.length, i === 0 ? 2 : 0)
  })
})

test('members: a name that comes twice counts as its last, and __proto__ is a name like any other', () => {
  const bytes = Buffer.from('{"a":1,"__proto__":{"b":2},"a":[3],"\\u0061":{"c": 4}}')
  const found = [...membersOf(bytes, inChunks(bytes, [3, 9]))]
  assert.deepEqual(found, [
    ['a', { c: 4 }],
    ['__proto__', { b: 2 }],
  ])
})

test('members: positions count from the text’s beginning, in any number of windows', () => {
  const long = `"${'x'.repeat(100_000)}"`
  const bytes = Buffer.from(`{"a":${long},"b":[${long}],"c":1}`)
  for (const scanned of [engine.scan(bytes, DEPTH), inChunks(bytes, [70_000, 70_001, 190_000])]) {
    assert.deepEqual(membersOf(bytes, scanned), entriesOf(JSON.parse(bytes.toString())))
  }
})

test('members: at most 256 are kept, and none with a name over 256 bytes; requested names are always found', () => {
  const many = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"n${i}":${i}`).join(',')}}`
  const cases: readonly (readonly [text: string, members: number, cut: boolean])[] = [
    [many(256), 256, false],
    [many(257), 256, true],
    [many(100_000), 256, true],
    [`{"${'n'.repeat(256)}":1}`, 1, false],
    [`{"${'n'.repeat(257)}":1,"a":2}`, 1, true],
    [`{"${'n'.repeat(200_000)}":1,"a":2}`, 1, true],
    [`{"${'\\u0041'.repeat(43)}":1,"a":2}`, 1, true],
  ]
  for (const [text, count, cut] of cases) {
    for (const scanned of [engine.scan(Buffer.from(text), DEPTH), inChunks(Buffer.from(text), [100, 65_540])]) {
      assert.deepEqual([scanned.kind, scanned.members.length, scanned.membersCut], ['json', count, cut])
    }
  }
  const scan = engine.begin(DEPTH, new Set(['n7', 'n99999', 'none']))
  const bytes = Buffer.from(many(100_000))
  for (let at = 0; at < bytes.length; at += 40_000) scan.add(bytes.subarray(at, at + 40_000))
  const { members, membersCut } = scan.end()
  assert.equal(membersCut, false)
  assert.deepEqual(
    members.map(({ name, start, end }) => [name, bytes.toString('utf8', start, end)]),
    [
      ['n7', '7'],
      ['n99999', '99999'],
    ],
  )
})

test('of scans that wait for their next chunk, members without a requested name take no memory', () => {
  const engine = createJsonEngine()
  const names = new Set(['usage'])
  const member = (index: number): string => `"${String(index).padStart(250, 'n')}":1`
  const [first = '', ...more] = Array.from({ length: 250 }, (_, index) => member(index))
  const start = Buffer.from(`{${first},"usage":[2],${more.join()},"us`)
  const scans = Array.from({ length: 400 }, () => engine.begin(100, names))
  const before = process.memoryUsage().arrayBuffers
  for (const scan of scans) scan.add(start)
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes`)
  for (const scan of scans) scan.add(Buffer.from('age":"last","other":3}'))
  const [scan] = scans
  const { kind, members } = scan?.end() ?? {}
  assert.equal(kind, 'json')
  const [found] = members ?? []
  const end = start.length + 'age":"last"'.length
  assert.deepEqual([members?.length, found], [1, { name: 'usage', start: end - '"last"'.length, end }])
})

test('JSON with a byte changed, removed or added gets the same verdict as from JSON.parse', () => {
  const bytes = Buffer.from(
    '{"messages":[{"role":"user","content":"a\\n\\"b\\" \\u00e9 c"}],"n":-1.5e+3,"t":[true,null]}',
  )
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.nat(2), fc.integer({ min: 0, max: 0x7f }), (at, cut, byte) => {
      const changed = Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + cut)])
      assert.equal(engine.scan(changed, DEPTH).kind, parses(changed.toString()) ? 'json' : 'text')
      assert.equal(inChunks(changed, [at, at + 1, at + 2]).kind, parses(changed.toString()) ? 'json' : 'text')
    }),
    { numRuns: 5_000 },
  )
})

test('bytes that aren’t UTF-8 are binary', () => {
  for (const bytes of [[0xff], [0x22, 0xc3, 0x22], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
    assert.equal(engine.scan(Buffer.from(bytes), DEPTH).kind, 'binary')
  }
})

const TOKENS = ['"\\u00e9"', '-1.5e-10', 'false', '"\\\\"', '{"a":[]}', '"plain text of more than sixteen bytes"']

for (const token of TOKENS) {
  test(`${token} is read alike at any position, also across the end of a window`, () => {
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

test('containers may be open to the limit, and each must be closed by its own kind', () => {
  for (const depth of [1, 2, 31, 32, 33, 1_000, 100_000]) {
    const kinds = (text: string): readonly string[] =>
      [engine.scan(Buffer.from(text), depth), inChunks(Buffer.from(text), [1, depth / 2, depth], depth)].map(
        ({ kind, tooDeep }) => (tooDeep ? `${kind}, too deep` : kind),
      )
    const cases: readonly (readonly [text: string, kind: string])[] = [
      ['['.repeat(depth) + ']'.repeat(depth), 'json'],
      ['['.repeat(depth) + ']'.repeat(depth - 1), 'text'],
      ['['.repeat(depth) + ']'.repeat(depth + 1), 'text'],
      ['['.repeat(depth + 1) + ']'.repeat(depth + 1), 'text, too deep'],
      [`${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`, 'json'],
      [`${'{"a":'.repeat(depth)}{`, 'text, too deep'],
      [`${'['.repeat(depth)}0${'}'.repeat(depth)}`, 'text'],
    ]
    for (const [text, kind] of cases) assert.deepEqual(kinds(text), [kind, kind], `${depth}: ${text.slice(0, 20)}`)
  }
})

test('the depth limit is at most 100,000 levels', () => {
  for (const limit of [100_001, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    assert.equal(engine.scan(Buffer.from('['.repeat(100_001)), limit).tooDeep, true)
    assert.equal(engine.scan(Buffer.from('['.repeat(100_000) + ']'.repeat(100_000)), limit).kind, 'json')
  }
})

test('json-machine.ts is the compiled json-machine.wat', async () => {
  assert.equal(await readFile(join(import.meta.dirname, 'json-machine.ts'), 'utf8'), await generate())
})
