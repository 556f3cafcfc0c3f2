import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GrowingBytes } from './growing-bytes.ts'

const KIB = 1024
const MIB = 1024 * KIB
const filled = (length: number, byte: number): Buffer => Buffer.allocUnsafeSlow(length).fill(byte)

test('any pieces, of declared length or not, are joined to one buffer', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 200 * KIB }), { maxLength: 12 })
  fc.assert(
    fc.property(sizes, fc.constantFrom('exact', 'none', 'more'), (lengths, declares) => {
      const length = lengths.reduce((sum, one) => sum + one, 0)
      const declared = declares === 'none' ? undefined : length + (declares === 'more' ? 2 * MIB : 0)
      const body = new GrowingBytes(declared)
      lengths.forEach((one, index) => void body.add(filled(one, index)))
      assert.equal(body.length, length)
      assert.deepEqual(body.join(), Buffer.concat(lengths.map((one, index) => filled(one, index))))
    }),
    { numRuns: 50 },
  )
})

test('pieces of one byte cost little more than their sum', () => {
  const body = new GrowingBytes()
  for (let i = 0; i < 100_000; i += 1) body.add(Buffer.from('1'))
  const whole = body.join()
  assert.equal(whole.length, 100_000)
  assert.ok(whole.buffer.byteLength < 120_000, `${whole.buffer.byteLength} bytes`)
})

test('a declared length of 32 MiB takes no memory before the bytes arrive', () => {
  const body = new GrowingBytes(32 * MIB)
  body.add(Buffer.from('{'))
  assert.ok(body.join().buffer.byteLength <= MIB)
})

test('a body in one piece of the declared length is that piece', () => {
  const only = filled(200 * KIB, 4)
  const body = new GrowingBytes(200 * KIB)
  body.add(only)
  assert.equal(body.join(), only)
  assert.equal(new GrowingBytes().join().length, 0)
})

test('large pieces are freed once copied, and the body once it is dropped', () => {
  const [first, second] = [filled(100 * KIB, 1), filled(10 * KIB, 2)]
  const body = new GrowingBytes(110 * KIB)
  body.add(first)
  body.add(second)
  assert.deepEqual([first.length, second.length], [0, 10 * KIB])
  const whole = body.join()
  assert.equal(whole.length, 110 * KIB)
  body.drop()
  assert.equal(whole.length, 0)
})

for (const [name, declared, most] of [
  ['declared', 8 * MIB, undefined],
  ['undeclared', undefined, 8 * MIB],
] as const)
  test(`a body of ${name} length grows only where its reader lets it, up to the most bytes`, () => {
    const piece = 64 * KIB
    const body = new GrowingBytes(declared, most)
    const moved: number[] = []
    let moves = 0
    let before: ArrayBufferLike | undefined
    for (let length = 0; length < 8 * MIB; length += piece) {
      if (body.mustGrow) moved.push(body.grow())
      body.add(filled(piece, 1))
      const { buffer } = body.tail(1)
      if (length >= MIB && buffer !== before) moves += 1
      before = buffer
    }
    assert.deepEqual(moved.slice(-3), [MIB, 2 * MIB, 4 * MIB])
    assert.equal(moves, moved.filter((bytes) => bytes >= MIB).length)
    assert.equal(before?.byteLength, 8 * MIB)
    assert.equal(body.mustGrow, false)
  })

test('a join moves the bytes only where their memory is much larger', () => {
  const body = new GrowingBytes()
  body.add(filled(300 * KIB, 1))
  body.add(filled(100 * KIB, 2))
  assert.equal(body.movedByJoin, 400 * KIB)
  body.add(filled(200 * KIB, 3))
  assert.equal(body.movedByJoin, 0)
})
