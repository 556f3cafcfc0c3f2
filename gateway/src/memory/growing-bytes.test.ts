import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BodyPieces } from './body-pieces.ts'

const KIB = 1024
const filled = (length: number, byte: number): Buffer => Buffer.allocUnsafeSlow(length).fill(byte)

test('whatever the pieces, and whether their length was declared or not: one buffer with all of them, in a memory of its own', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 * KIB }), { maxLength: 6 })
  fc.assert(
    fc.property(sizes, fc.boolean(), (lengths, isDeclared) => {
      const length = lengths.reduce((sum, one) => sum + one, 0)
      const body = new BodyPieces(isDeclared ? length : undefined)
      lengths.forEach((one, index) => {
        body.add(filled(one, index))
        assert.equal(
          body.length,
          lengths.slice(0, index + 1).reduce((sum, each) => sum + each, 0),
        )
      })
      const expected = Buffer.concat(lengths.map((one, index) => filled(one, index)))
      const whole = body.join()
      assert.deepEqual(whole, expected)
      assert.equal(whole.buffer.byteLength, Math.max(length, whole.length))
    }),
  )
})

test('pieces are freed: at once where the length was declared, when they are joined where not', () => {
  const pieces = () => [filled(20 * KIB, 1), filled(KIB, 2), filled(30 * KIB, 3)]
  const sizes = (of: readonly Buffer[]) => of.map((piece) => piece.length)
  const known = pieces()
  const declared = new BodyPieces(51 * KIB)
  for (const piece of known) declared.add(piece)
  assert.deepEqual(sizes(known), [0, KIB, 0])
  const unknown = pieces()
  const undeclared = new BodyPieces(undefined)
  for (const piece of unknown) undeclared.add(piece)
  assert.deepEqual(sizes(unknown), [20 * KIB, KIB, 30 * KIB])
  undeclared.join()
  assert.deepEqual(sizes(unknown), [0, KIB, 0])
})

test('a body in one piece is that piece', () => {
  for (const declared of [20 * KIB, undefined]) {
    const only = filled(20 * KIB, 4)
    const body = new BodyPieces(declared)
    body.add(only)
    assert.equal(body.join(), only)
  }
  assert.equal(new BodyPieces(undefined).join().length, 0)
})

test('of a body that broke off, what came is there, and is freed when nobody wants it', () => {
  const body = new BodyPieces(100 * KIB)
  body.add(filled(20 * KIB, 1))
  const part = body.join()
  assert.deepEqual(part, filled(20 * KIB, 1))
  body.drop()
  assert.equal(part.length, 0)
  const undeclared = new BodyPieces(undefined)
  const piece = filled(20 * KIB, 1)
  undeclared.add(piece)
  undeclared.drop()
  assert.equal(piece.length, 0)
})
