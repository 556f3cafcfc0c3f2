import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorkQueue } from '../work/work-queue.ts'
import { base64Json } from './base64-json.ts'
import { createJsonEngine } from './json-scan.ts'

// Rules: docs/reference/bus.md#request, docs/reference/record.md#payloads

const engine = createJsonEngine()
const queue = new WorkQueue()
const WINDOW_BYTES = 65_536

function compact(text: string): Promise<Buffer> | Buffer {
  const bytes = Buffer.from(text)
  const { kind, spaces } = engine.scan(bytes, 1_000)
  assert.equal(kind, 'json')
  return engine.compact(bytes, spaces, queue.begin('/a/'))
}

test('a compact copy is the text without the white space outside its strings', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom(0, 1, '\t', '\r\n', ' '.repeat(10)), (text, space) => {
      const value: unknown = JSON.parse(text)
      assert.equal(String(compact(`\n ${JSON.stringify(value, null, space)}\t`)), JSON.stringify(value))
    }),
    { numRuns: 1_000 },
  )
})

test('names, numbers and escapes stay as they were written in a compact copy', () => {
  const text = ' { "a" : 1.0e+2 , "a" : "\\u0061 \\" \\\\ \\/ " , "\\\\" : [ -0 , "  " , "\\\\" ] } '
  assert.equal(String(compact(text)), '{"a":1.0e+2,"a":"\\u0061 \\" \\\\ \\/ ","\\\\":[-0,"  ","\\\\"]}')
})

for (const token of ['"\\u00e9 \\" "', '" \\\\" ', '{ "a b" : [ ] }', '"plain text of more than sixteen bytes"']) {
  test(`${token} is copied correctly, wherever a window ends inside it`, async () => {
    for (let before = WINDOW_BYTES - 48; before <= WINDOW_BYTES + 2; before += 1) {
      const text = `["${'x'.repeat(before - 5)}", ${token}]`
      assert.equal(
        String(await compact(text)),
        JSON.stringify(JSON.parse(text)).replace('é', '\\u00e9'),
        String(before),
      )
    }
  })
}

test('a compact copy throws if the bytes changed after the scan', async () => {
  assert.throws(() => engine.compact(Buffer.from('[ 1]'), 2, queue.begin('/a/')))
  await assert.rejects(async () => engine.compact(Buffer.from(`[${' '.repeat(70_000)}]`), 1, queue.begin('/a/')))
})

const texts = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc
    .array(fc.constantFrom('a', '"', '\\', '\n', '\0', '\x1f', '\x7f', 'é', '€', '😀', 'x'.repeat(20)), {
      maxLength: 60,
    })
    .map((all) => all.join('')),
)

test('a text becomes the same JSON string as from JSON.stringify, or undefined where that string is too long', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const expected = JSON.stringify(text)
      const length = Buffer.byteLength(expected)
      assert.equal(String(engine.string(Buffer.from(text), length, queue.begin('/a/'))), expected)
      assert.equal(engine.string(Buffer.from(text), length - 1, queue.begin('/a/')), undefined)
    }),
    { numRuns: 3_000 },
  )
})

test('each of the first 256 characters is written as JSON.stringify writes it', () => {
  for (let code = 0; code < 256; code += 1) {
    const text = `${String.fromCharCode(code)} and ${String.fromCharCode(code).repeat(20)}`
    assert.equal(String(engine.string(Buffer.from(text), 10_000, queue.begin('/a/'))), JSON.stringify(text))
  }
})

test('long texts are encoded in slices, wherever a window ends', async () => {
  const long = [
    '\0'.repeat(WINDOW_BYTES),
    '\0'.repeat(1_000_000),
    `${'x'.repeat(10_921)}"`.repeat(50),
    'é€😀"\\\n'.repeat(100_000),
    'x'.repeat(1_000_000),
  ]
  for (const text of long) {
    const expected = JSON.stringify(text)
    const length = Buffer.byteLength(expected)
    const made = await engine.string(Buffer.from(text), length, queue.begin('/a/'))
    assert.equal(made?.equals(Buffer.from(expected)), true)
    assert.equal(await engine.string(Buffer.from(text), length - 1, queue.begin('/a/')), undefined)
  }
})

test('up to 64 KiB no promise is returned', () => {
  const bytes = Buffer.alloc(WINDOW_BYTES, ' ')
  assert.equal(engine.string(bytes, 100_000, queue.begin('/a/')) instanceof Buffer, true)
  bytes[0] = 0x30
  assert.equal(engine.compact(bytes, bytes.length - 1, queue.begin('/a/')) instanceof Buffer, true)
})

test('bytes become an object with their base64, or undefined where that object is too long', async () => {
  for (const length of [0, 1, 2, 3, 4, 1_000, 49_151, 49_152, 49_153, 98_304, 200_001]) {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 7919) % 256))
    const expected = `{"base64":"${bytes.toString('base64')}"}`
    assert.equal(String(await base64Json(bytes, expected.length, queue.begin('/a/'))), expected)
    assert.equal(base64Json(bytes, expected.length - 1, queue.begin('/a/')), undefined)
  }
})

test('a text of any length takes at most one slice in each turn of the event loop', async () => {
  const bytes = Buffer.alloc(31 * 1024 * 1024)
  let turns = 0
  let working = true
  const count = (): void => {
    turns += 1
    if (working) setImmediate(count)
  }
  setImmediate(count)
  const text = await engine.string(bytes, Number.POSITIVE_INFINITY, queue.begin('/a/'))
  working = false
  assert.equal(text?.length, bytes.length * 6 + 2)
  assert.ok(turns >= 5, `${turns} turns`)
})
