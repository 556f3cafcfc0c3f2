import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBytes, LeasedMemory } from './leased-memory.ts'

const KIB = 1024
const filled = (length: number, byte: number): Buffer => Buffer.allocUnsafeSlow(length).fill(byte)

test("a body's memory is freed when its last lease ends, however often the other leases are ended", () => {
  const bytes = filled(128 * KIB, 7)
  const memory = LeasedMemory.of(bytes)
  assert.ok(memory)
  const [call, socket, record] = [memory.lease(), memory.lease(), memory.lease()]
  call.end()
  call.end()
  call.end()
  socket.end()
  assert.equal(bytes.length, 128 * KIB)
  record.end()
  assert.equal(bytes.length, 0)
  record.end()
})

test('a forfeited lease leaves the memory to the collector', () => {
  const bytes = filled(128 * KIB, 7)
  const memory = LeasedMemory.of(bytes)
  assert.ok(memory)
  const [call, socket] = [memory.lease(), memory.lease()]
  socket.forfeit()
  socket.end()
  call.end()
  assert.equal(bytes.length, 128 * KIB)
})

test('holds returns true only for bytes of the same memory', () => {
  const bytes = filled(128 * KIB, 7)
  const memory = LeasedMemory.of(bytes)
  assert.ok(memory)
  assert.equal(memory.holds(bytes), true)
  assert.equal(memory.holds(Buffer.from(bytes.buffer, 0, 8)), true)
  assert.equal(memory.holds(Buffer.from(bytes)), false)
  assert.equal(memory.holds(undefined), false)
})

const KEPT: readonly (readonly [string, () => Buffer])[] = [
  ['a small buffer', () => filled(KIB, 1)],
  ['a part of a larger memory', () => filled(128 * KIB, 1).subarray(1)],
  ['a part of the pool', () => Buffer.from('x'.repeat(KIB))],
  ['shared memory', () => Buffer.from(new SharedArrayBuffer(128 * KIB))],
]

for (const [name, make] of KEPT) {
  test(`${name} is left to the collector`, () => {
    const bytes = make()
    const { length } = bytes
    freeBytes(bytes)
    LeasedMemory.of(bytes)?.lease().end()
    assert.equal(bytes.length, length)
  })
}
