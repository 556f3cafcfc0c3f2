import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyMemory, freeBytes, joinPieces } from './body-memory.ts'

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

test('pieces become one buffer and their memory is freed; one piece stays as it is', () => {
  const pieces = [filled(20 * KIB, 1), filled(KIB, 2), filled(30 * KIB, 3)]
  const whole = joinPieces(pieces, 51 * KIB)
  assert.deepEqual([whole[0], whole[20 * KIB], whole.at(-1)], [1, 2, 3])
  assert.deepEqual(
    pieces.map((piece) => piece.length),
    [0, KIB, 0],
  )
  const only = filled(20 * KIB, 4)
  assert.equal(joinPieces([only], 20 * KIB), only)
  assert.equal(only.length, 20 * KIB)
  assert.equal(joinPieces([], 0).length, 0)
})
