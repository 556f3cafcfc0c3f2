import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { bodySource } from './body-source-under-test.ts'
import { InboundBody } from './inbound-body.ts'

// Rules: docs/reference/http.md#memory

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

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
    const body = new InboundBody(bodySource())
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
  const body = new InboundBody(bodySource({ pause: () => (pauses += 1) }))
  for (let chunks = 0; chunks < 63; chunks += 1) body.push(Buffer.from('a'))
  assert.equal(pauses, 0)
  body.push(Buffer.from('a'))
  assert.equal(pauses, 1)
})

test('pieces without a consumer keep no larger buffers in memory', async () => {
  let pauses = 0
  const body = new InboundBody(bodySource({ pause: () => (pauses += 1) }))
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
  const body = new InboundBody(bodySource({ pause: () => (pauses += 1) }))
  for (; pauses === 0; pieces += 1) body.push(Buffer.alloc(4 * 1024).subarray(0, 1))
  assert.ok(pieces <= 17, `${pieces} pieces`)
})

/** Opens a call with room for this many bytes, beside another call that holds a byte. */
function openAccount(bytes: number): CallMemory {
  return openTwo(bytes).account
}

/** As `openAccount`, with the other call. */
function openTwo(bytes: number): { readonly account: CallMemory; readonly other: CallMemory } {
  const memory = new MemoryAccount(bytes)
  const other = memory.open('/other/', new MemoryShare())
  other.add(1)
  return { account: memory.open('/llm/', new MemoryShare()), other }
}

/** The most bytes of readings without room. */
const SPARE_BYTES = 64 * 1024 * 1024

const consumer = { chunk: () => true, end: () => undefined, failed: () => undefined }
const claims: readonly (readonly [how: string, claim: (body: InboundBody) => void])[] = [
  ['a consumer attaches', (body) => body.attach(consumer)],
  ['the whole body is taken', (body) => body.takeWhole()],
  ['nobody needs them any more', (body) => body.abort()],
]

for (const [how, claim] of claims) {
  test(`the bytes of a body count in its call until ${how}`, () => {
    const account = openAccount(1_000_000)
    const body = new InboundBody(bodySource({ account }))
    const reading = Buffer.alloc(3_000)
    for (let at = 0; at < 3_000; at += 1_000) body.push(reading.subarray(at, at + 1_000))
    body.push(Buffer.alloc(50_000))
    body.end()
    assert.equal(account.bytes, 53_000)
    claim(body)
    assert.equal(account.bytes, 0)
  })
}

test('a consumer gets the bytes that had waited for it once their room is free', () => {
  const account = openAccount(100_000)
  const body = new InboundBody(bodySource({ account }))
  body.push(Buffer.alloc(50_000))
  const room: boolean[] = []
  body.attach({ ...consumer, chunk: (bytes) => room.push(account.hasRoom(bytes.length)) > 0 })
  assert.deepEqual(room, [true])
})

test('a consumer that ends the call gets no further bytes of those that had waited for it', () => {
  const body = new InboundBody(bodySource())
  for (const text of ['one', 'two', 'three']) body.push(Buffer.from(text))
  const given: string[] = []
  const chunk = (bytes: Buffer): boolean => {
    given.push(bytes.toString())
    if (given.length === 2) body.abort()
    return false
  }
  body.attach({ ...consumer, chunk })
  assert.deepEqual(given, ['one', 'two'])
})

test('a broken body counts until its consumer has its bytes', () => {
  const account = openAccount(1_000_000)
  const body = new InboundBody(bodySource({ account }))
  body.push(Buffer.alloc(50_000))
  body.fail('UPSTREAM_RESET')
  assert.equal(account.bytes, 50_000)
  body.attach(consumer)
  assert.equal(account.bytes, 0)
})

test('bytes without a consumer that find no room pause their connection and count beside the account', () => {
  const { account, other } = openTwo(40_000)
  let pauses = 0
  const body = new InboundBody(bodySource({ account, pause: () => (pauses += 1) }))
  body.push(Buffer.alloc(20_000))
  assert.equal(pauses, 0)
  body.push(Buffer.alloc(30_000))
  assert.deepEqual([pauses, account.bytes], [1, 20_000])
  // A router leaves a quarter of these bytes to other routers.
  assert.equal(other.takeSpare(0.75 * SPARE_BYTES - 29_999), false)
  assert.equal(other.takeSpare(0.75 * SPARE_BYTES - 30_000), true)
  body.attach(consumer)
  assert.equal(account.bytes, 0)
  assert.equal(other.takeSpare(0.25 * SPARE_BYTES + 30_000), true)
})

test('a body whose first bytes find no room beside the account either ends its call', () => {
  const { account, other } = openTwo(40_000)
  other.takeSpare(SPARE_BYTES - 1_000)
  const calls: string[] = []
  const body = new InboundBody(bodySource({ account, abort: () => void calls.push('abort') }))
  body.push(Buffer.alloc(30_000))
  body.push(Buffer.alloc(30_000))
  assert.equal(body.failure, 'OVERLOADED')
  body.fail('UPSTREAM_RESET')
  body.attach({ ...consumer, chunk: () => assert.fail(), failed: (code) => void calls.push(code) })
  assert.deepEqual([calls, account.bytes], [['abort', 'OVERLOADED'], 0])
})
