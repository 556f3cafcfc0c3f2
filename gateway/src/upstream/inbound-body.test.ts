import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { InboundBody } from './inbound-body.ts'

// Rules: docs/reference/http.md#memory

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

const source = {
  pause: () => undefined,
  resume: () => undefined,
  abort: () => undefined,
  noteConsumed: () => undefined,
}

/** Attaches a consumer with a large buffer that only the body refers to. */
function attachConsumer(body: InboundBody): WeakRef<Buffer> {
  const held = Buffer.alloc(1024)
  body.attach({ chunk: () => held.length > 0, end: () => undefined, failed: () => undefined })
  return new WeakRef(held)
}

const ends: readonly (readonly [how: string, end: (body: InboundBody) => void])[] = [
  ['is whole', (body) => body.end()],
  ['broke', (body) => body.fail('UPSTREAM_RESET')],
]

for (const [how, end] of ends) {
  test(`a body that ${how} doesn’t retain its consumer`, async () => {
    const body = new InboundBody(source)
    const held = attachConsumer(body)
    body.push(Buffer.from('a'))
    end(body)
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(typeof collectGarbage === 'function')
    collectGarbage()
    assert.equal(held.deref(), undefined)
  })
}

test('a body of many small chunks without a consumer pauses its connection', () => {
  let pauses = 0
  const body = new InboundBody({ ...source, pause: () => (pauses += 1) })
  for (let chunks = 0; chunks < 63; chunks += 1) body.push(Buffer.from('a'))
  assert.equal(pauses, 0)
  body.push(Buffer.from('a'))
  assert.equal(pauses, 1)
})

test('pieces without a consumer keep no larger buffers in memory', async () => {
  let pauses = 0
  const body = new InboundBody({ ...source, pause: () => (pauses += 1) })
  const pieces = Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024).subarray(0, 1))
  const buffers = pieces.map(({ buffer }) => new WeakRef(buffer))
  for (let piece = pieces.pop(); piece !== undefined && pauses === 0; piece = pieces.pop()) body.push(piece)
  pieces.length = 0
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(typeof collectGarbage === 'function')
  collectGarbage()
  const held = buffers.filter((buffer) => buffer.deref() !== undefined).length
  assert.ok(held <= 1, `${held} buffers of 64 KiB`)
  assert.equal(body.takeWhole(), undefined)
})

test('small readings without a consumer pause their connection before their buffers exceed 64 KiB', () => {
  let pauses = 0
  let pieces = 0
  const body = new InboundBody({ ...source, pause: () => (pauses += 1) })
  for (; pauses === 0; pieces += 1) body.push(Buffer.alloc(4 * 1024).subarray(0, 1))
  assert.ok(pieces <= 17, `${pieces} pieces`)
})
