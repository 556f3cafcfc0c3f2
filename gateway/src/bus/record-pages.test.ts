import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RecordPages } from './record-pages.ts'
import type { TextPart } from './record-text.ts'

const joined = (parts: readonly TextPart[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)))
const sentAs = (chunks: readonly Buffer[]): Buffer => Buffer.concat(chunks)

test('any parts become one message: head, record, line end, however long the head and whatever came before', () => {
  const pages = new RecordPages()
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.constant(new Uint8Array(20_000).fill(7)))
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('é'.repeat(100_000)))
  const parts = fc.array(fc.oneof(text, bytes), { maxLength: 8 })
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 400 }), (pieces, headLength) => {
      const record = pages.encode(pieces)
      const expected = joined(pieces)
      assert.equal(record.length, expected.length)
      assert.deepEqual(record.toBytes(), expected)
      for (const head of ['h'.repeat(headLength), 'another', 'h'.repeat(headLength)]) {
        assert.deepEqual(
          sentAs(record.message(head)),
          Buffer.concat([Buffer.from(head), expected, Buffer.from('\r\n')]),
        )
      }
    }),
  )
})

test('a record stays what it is while the next ones are encoded', () => {
  const pages = new RecordPages()
  const texts = Array.from({ length: 500 }, (_, index) => `${index}:${'ü'.repeat(index * 7)}`)
  const records = texts.map((text) => pages.encode([text, Buffer.from(text)]))
  records.forEach((record, index) => {
    record.message(`HEAD ${index}`)
  })
  assert.deepEqual(
    records.map((record) => record.toBytes().toString()),
    texts.map((text) => text + text),
  )
})

test('a large payload is written from where it lies; a small one, and a small part of a large buffer, are copied', () => {
  const pages = new RecordPages()
  const whole = Buffer.alloc(64 * 1024)
  const shares = (bytes: Uint8Array): boolean =>
    pages
      .encode(['{', bytes, '}'])
      .message('HPUB')
      .some((chunk) => chunk.buffer === bytes.buffer)
  assert.equal(shares(whole), true)
  assert.equal(shares(whole.subarray(1000)), true)
  assert.equal(shares(whole.subarray(0, 20_000)), false)
  assert.equal(shares(Buffer.alloc(1_000)), false)
})
