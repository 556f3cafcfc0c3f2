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

test('a byte in the buffer of a small reading is copied', () => {
  const pieces = Array.from({ length: 8 }, () => Buffer.alloc(16 * KIB).subarray(0, 1))
  const { chunks } = copyOf(pieces)
  assert.deepEqual(
    chunks.map(({ buffer }) => buffer.byteLength),
    pieces.map(() => 1),
  )
})
