import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import fc from 'fast-check'
import { createJsonEngine } from '../json/json-scan.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { decodeReply, type ProcessorReply } from './decode-reply.ts'

// Rules: docs/reference/bus.md#reply

const DEPTH = 1_000
const MIB = 1024 * 1024
const NAMES: ReadonlySet<string> = new Set(['a', 'b', '__proto__', 'constructor', 'é'])
const memory = { take: () => true }
const reading = { json: createJsonEngine(), slice: new WorkQueue().begin('/a/'), depth: DEPTH, memory }

function decode(reply: string | Uint8Array, names = NAMES): Promise<ProcessorReply> {
  return decodeReply(reading, typeof reply === 'string' ? Buffer.from(reply) : reply, names)
}

/** Returns the fields as text; `too deep` where one isn't readable. */
function shown(reply: ProcessorReply): string | Record<string, string> {
  if (reply.kind !== 'fields') return reply.kind
  const texts = [...reply.fields].map(([name, value]) => [
    name,
    value.kind === 'json' ? String(value.json) : value.kind,
  ])
  return Object.fromEntries(texts)
}

const REPLIES: readonly (readonly [reply: string | Uint8Array, shown: string | Record<string, string>])[] = [
  ['', 'nothing'],
  [' \n\t', 'nothing'],
  [' '.repeat(2 * MIB), 'nothing'],
  ['\u00a0\v', 'nothing'],
  ['{}', 'nothing'],
  [' { } ', 'nothing'],
  ['\ufeff', 'nothing'],
  ['\ufeff{}', 'nothing'],
  ['{"a":1}', { a: '1' }],
  ['\ufeff{"a":1}', { a: '1' }],
  ['\ufeff\ufeff{"a":1}', 'not an object'],
  ['{"unlisted":1}', {}],
  ['null', 'not an object'],
  ['[]', 'not an object'],
  ['[{"a":1}]', 'not an object'],
  ['"text"', 'not an object'],
  ['7', 'not an object'],
  ['{"a":', 'not an object'],
  ['{} {}', 'not an object'],
  ['[{"a":1}]'.repeat(100_000), 'not an object'],
  ['{ "a" : [ 1 , " x " ] , "b" : " y " }', { a: '[1," x "]', b: '" y "' }],
  ['{"a":1,"b":2,"a":3}', { a: '3', b: '2' }],
  ['{"\\u0061":1.50}', { a: '1.50' }],
  ['{"é":"é"}', { é: '"é"' }],
  [Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')]), { a: '"\ufffd"' }],
  [Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(MIB, 0xff), Buffer.from('"}')]), 'not an object'],
  [`{"b":1,"a":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`, { a: '['.repeat(DEPTH) + ']'.repeat(DEPTH), b: '1' }],
  [`{"b":1,"a":${'['.repeat(DEPTH + 1)}${']'.repeat(DEPTH + 1)}}`, { a: 'too deep', b: '1' }],
  [`{"b":1,"unlisted":${'['.repeat(90_000)}${']'.repeat(90_000)}}`, { b: '1' }],
  ['['.repeat(10 * MIB), 'not an object'],
]

for (const [reply, expected] of REPLIES) {
  const text = String(reply)
  test(`a reply of ${text.length} characters: ${JSON.stringify(text.slice(0, 40))}`, async () => {
    assert.deepEqual(shown(await decode(reply)), expected)
  })
}

test('__proto__ in a reply is a key like any other and changes no prototype', async () => {
  const reply = await decode('{"__proto__":{"polluted":true},"constructor":1,"b":null}')
  assert.equal(reply.kind, 'fields')
  assert.deepEqual(reply.kind === 'fields' ? [...reply.fields.keys()] : [], ['__proto__', 'constructor', 'b'])
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('listed fields of any object are read as JSON.parse reads them', async () => {
  const name = fc.oneof(fc.constantFrom(...NAMES), fc.string())
  const members = fc.array(fc.tuple(name, fc.jsonValue()), { minLength: 1, maxLength: 8 })
  const property = fc.asyncProperty(members, fc.constantFrom('', ' ', '\n\t'), async (members, space) => {
    const texts = members.map(
      ([key, value]) => `${space}${JSON.stringify(key)}${space}:${JSON.stringify(value, null, space)}`,
    )
    const text = `{${texts.join(',')}${space}}`
    const parsed = new Map(Object.entries(JSON.parse(text)))
    const expected = [...parsed].filter(([key]) => NAMES.has(key)).map(([key, value]) => [key, JSON.stringify(value)])
    assert.deepEqual(shown(await decode(text)), Object.fromEntries(expected))
  })
  await fc.assert(property, { numRuns: 1_000 })
})

test('any bytes get the same kind as from JSON.parse after the replacement of invalid UTF-8', async () => {
  const changed = fc
    .tuple(fc.nat(44), fc.nat(2), fc.nat(255))
    .map(([at, cut, byte]) => Buffer.concat([SAMPLE.subarray(0, at), Buffer.of(byte), SAMPLE.subarray(at + cut)]))
  const property = fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 24 }), changed), async (bytes) => {
    assert.equal((await decode(bytes)).kind, kindOf(new TextDecoder().decode(bytes)))
  })
  await fc.assert(property, { numRuns: 5_000 })
})

const SAMPLE = Buffer.from(' {"a":[1,{"b":"\\u00e9é"}],"__proto__":null}')

function kindOf(text: string): ProcessorReply['kind'] {
  if (text.trim() === '') return 'nothing'
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not an object'
    return Object.keys(value).length === 0 ? 'nothing' : 'fields'
  } catch {
    return 'not an object'
  }
}

test('a listed name is found behind a million others', async () => {
  const members = Array.from({ length: 1_000_000 }, (_, i) => `"n${i}":${i}`)
  assert.deepEqual(shown(await decode(`{${members.join(',')},"b":[ 1]}`)), { b: '[1]' })
})

test('a small field of a large reply doesn’t retain the whole reply', async () => {
  const reply = await decode(`{"a":"${'x'.repeat(10_000)}","unlisted":"${'y'.repeat(MIB)}"}`)
  const value = reply.kind === 'fields' ? reply.fields.get('a') : undefined
  assert.equal(value?.kind, 'json')
  assert.ok(value.json.buffer.byteLength < 100_000)
})

const LARGE: readonly (readonly [name: string, text: () => string])[] = [
  ['shallow objects', () => `{"a":[${'{},'.repeat(3_300_000)}{}]}`],
  ['shallow objects, indented', () => `{"a":[${'{ },\n'.repeat(2_000_000)}{}]}`],
  ['two million members', () => `{${'"":1,'.repeat(2_000_000)}"a":1}`],
  ['two million members of listed names', () => `{${'"a":1,"b":[],'.repeat(1_000_000)}"a":1}`],
  ['deep nesting', () => `{"a":[${`${'['.repeat(990)}${']'.repeat(990)},`.repeat(5_000)}1]}`],
  ['nesting too deep', () => `{"a":[${`${'['.repeat(5_000)}${']'.repeat(5_000)},`.repeat(1_000)}1]}`],
  ['one long string', () => `{"a":"${'x'.repeat(10_000_000)}"}`],
  ['a string of escapes', () => `{"a":"${'\\u0000'.repeat(1_700_000)}"}`],
  ['broken bytes behind a long beginning', () => `{"a":"${'x'.repeat(10_000_000)}"},`],
]

for (const [name, text] of LARGE) {
  test(`a reply of 10 MB leaves time to others in every turn of the event loop: ${name}`, async () => {
    const bytes = Buffer.from(text())
    assert.ok(bytes.length > 9_000_000)
    await assertShortTurns(125, async () => {
      const turns = await turnsWhile(() => decode(bytes))
      assert.ok(turns.count >= 2, `${turns.count} turns`)
      return turns.longestMs
    })
  })
}

/** Returns the number of turns of the event loop during a run, and the longest CPU time between two. */
async function turnsWhile(
  run: () => Promise<unknown>,
): Promise<{ readonly count: number; readonly longestMs: number }> {
  let count = 0
  let longestMs = 0
  let working = true
  let before = process.threadCpuUsage()
  const note = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    before = process.threadCpuUsage()
    count += 1
    if (working) setImmediate(note)
  }
  setImmediate(note)
  await run()
  working = false
  note()
  return { count, longestMs }
}
