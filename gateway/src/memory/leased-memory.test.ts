import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyMemory, freeBytes } from './body-memory.ts'

const KIB = 1024
const filled = (length: number, byte: number): Buffer => Buffer.allocUnsafeSlow(length).fill(byte)

test("a body's memory is freed when its last user lets go, not before", () => {
  const bytes = filled(64 * KIB, 7)
  const memory = BodyMemory.of(bytes)
  assert.ok(memory)
  memory.hold()
  memory.hold()
  memory.letGo()
  memory.letGo()
  assert.equal(bytes.length, 64 * KIB)
  memory.letGo()
  assert.equal(bytes.length, 0)
  memory.letGo()
  assert.equal(bytes.length, 0)
})

test('a memory knows its own bytes', () => {
  const bytes = filled(64 * KIB, 7)
  const memory = BodyMemory.of(bytes)
  assert.ok(memory)
  assert.equal(memory.holds(bytes), true)
  assert.equal(memory.holds(Buffer.from(bytes.buffer, 0, 8)), true)
  assert.equal(memory.holds(Buffer.from(bytes)), false)
  assert.equal(memory.holds(undefined), false)
})

const KEPT: readonly (readonly [string, () => Buffer])[] = [
  ['what is small', () => filled(KIB, 1)],
  ['a part of a larger memory', () => filled(64 * KIB, 1).subarray(1)],
  ['a part of the pool', () => Buffer.from('x'.repeat(KIB))],
  ['shared memory', () => Buffer.from(new SharedArrayBuffer(64 * KIB))],
]

for (const [name, make] of KEPT) {
  test(`${name} is left to the collector`, () => {
    const bytes = make()
    const { length } = bytes
    freeBytes(bytes)
    BodyMemory.of(bytes)?.letGo()
    assert.equal(bytes.length, length)
  })
}
