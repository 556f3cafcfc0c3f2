import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyCopy } from './body-copy.ts'
import { MemoryAccount, MemoryShare } from './memory-account.ts'

const KIB = 1024

function copyOf(pieces: readonly Buffer[]): BodyCopy {
  const memory = new MemoryAccount(1024 * KIB).open('/llm/', new MemoryShare())
  const copy = new BodyCopy(1024 * KIB, memory)
  for (const piece of pieces) copy.add(piece)
  return copy
}

test('a piece of a much larger buffer is copied, so that the copy holds no more than it counts', () => {
  const piece = Buffer.alloc(200 * KIB, 'a').subarray(100, 100 + 16 * KIB)
  const { chunks } = copyOf([piece])
  assert.equal(chunks[0]?.buffer.byteLength, 16 * KIB)
  assert.ok(chunks[0]?.equals(piece))
})

test('a piece that fills most of its buffer is kept without copying', () => {
  const piece = Buffer.alloc(64 * KIB, 'a').subarray(100)
  assert.equal(copyOf([piece]).chunks[0], piece)
})

test('a long body is joined as it arrives, and its pieces, which others read, stay as they are', (t) => {
  const most = 64 * KIB * KIB
  const copy = new BodyCopy(most, new MemoryAccount(most).open('/llm/', new MemoryShare()))
  const concat = t.mock.method(Buffer, 'concat')
  const lengths: number[] = []
  for (let index = 0; index < 640; index += 1) {
    const piece = Buffer.alloc(64 * KIB, index)
    copy.add(piece)
    lengths.push(piece.length)
  }
  const whole = copy.join()
  assert.equal(concat.mock.callCount(), 0)
  assert.deepEqual(new Set(lengths), new Set([64 * KIB]))
  assert.equal(whole.length, 40 * KIB * KIB)
  for (let index = 0; index < 640; index += 1)
    assert.ok(whole.subarray(index * 64 * KIB, (index + 1) * 64 * KIB).equals(Buffer.alloc(64 * KIB, index)))
  assert.deepEqual(copy.chunks, [whole])
})

test('of a long body the beginning is kept where it is cut, and all of it up to the limit', () => {
  const limit = 33 * KIB * KIB
  const memory = new MemoryAccount(2 * limit).open('/llm/', new MemoryShare())
  const copy = new BodyCopy(limit, memory)
  for (let bytes = 0; bytes < limit; bytes += 64 * KIB) copy.add(Buffer.alloc(64 * KIB, 'a'))
  assert.deepEqual([copy.isCut, memory.bytes, copy.chunks[0]?.length], [false, limit, limit])
  copy.add(Buffer.from('b'))
  assert.deepEqual([copy.isCut, memory.bytes, String(copy.join())], [true, 4 * KIB, 'a'.repeat(4 * KIB)])
})

test('a byte in the buffer of a small reading is copied', () => {
  const pieces = Array.from({ length: 8 }, () => Buffer.alloc(16 * KIB).subarray(0, 1))
  const { chunks } = copyOf(pieces)
  assert.deepEqual(
    chunks.map(({ buffer }) => buffer.byteLength),
    pieces.map(() => 1),
  )
})
