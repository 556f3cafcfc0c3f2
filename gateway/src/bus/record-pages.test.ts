import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recordText } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import type { RecordMessage, TextPart } from './record-message.ts'
import { RecordPages } from './record-pages.ts'

const headOf = createMessageHeads('llm.gl.logger')
const joined = (parts: readonly TextPart[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)))
const wireOf = ({ ranges }: RecordMessage): Buffer =>
  Buffer.concat(ranges.map(({ buffer, start, end }) => buffer.subarray(start, end)))

/** Reads a message from the wire by its announced sizes. */
function read(wire: Buffer): { subject: string; headers: string; payload: Buffer; rest: string } {
  const lineEnd = wire.indexOf('\r\n')
  const [verb, subject = '', headerBytes, size] = wire.subarray(0, lineEnd).toString().split(' ')
  assert.equal(verb, 'HPUB')
  const headersEnd = lineEnd + 2 + Number(headerBytes)
  const end = lineEnd + 2 + Number(size)
  return {
    subject,
    headers: wire.subarray(lineEnd + 2, headersEnd).toString(),
    payload: wire.subarray(headersEnd, end),
    rest: wire.subarray(end).toString(),
  }
}

test('any parts are encoded as one message: head with sizes, record, line end', () => {
  const pages = new RecordPages()
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.constant(new Uint8Array(20_000).fill(7)))
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('é'.repeat(100_000)))
  const parts = fc.array(fc.oneof(text, bytes), { maxLength: 8 })
  // Among them characters whose low byte in UTF-16 is a line break.
  const subjects = fc.constantFrom('llm.gl.logger', 'llm.gé.logger', 'l\u010am.gl\u010d.logger', 'x'.repeat(90_000))
  fc.assert(
    fc.property(parts, subjects, fc.nat(), (pieces, subject, serial) => {
      const message = pages.encode(createMessageHeads(subject)(`G-${serial}`), { parts: pieces, cut: [] })
      const payload = joined([...pieces, '}'])
      const headers = `NATS/1.0\r\nNats-Msg-Id: G-${serial}\r\n\r\n`
      assert.deepEqual(read(wireOf(message)), { subject, headers, payload, rest: '\r\n' })
      assert.deepEqual(message.toJson(), payload)
      assert.deepEqual([message.length, message.size], [payload.length, payload.length + headers.length])
    }),
  )
})

test('an encoded record doesn’t change while further records are encoded', () => {
  const pages = new RecordPages()
  const texts = Array.from({ length: 500 }, (_, index) => `${index}:${'ü'.repeat(index * 7)}`)
  const messages = texts.map((text, index) =>
    pages.encode(headOf(`${index}`), recordText(text, Buffer.from(text), '}')),
  )
  assert.deepEqual(
    messages.map((message) => message.toJson().toString()),
    texts.map((text) => `${text}${text}}`),
  )
})

test('small records are adjacent in one page', () => {
  const pages = new RecordPages()
  const [first, second] = ['1', '2'].map(
    (id) => pages.encode(headOf(id), recordText('{"a":', Buffer.from('1'), '}')).ranges,
  )
  assert.equal(first?.length, 1)
  assert.equal(second?.length, 1)
  assert.equal(first?.[0]?.buffer, second?.[0]?.buffer)
  assert.equal(first?.[0]?.end, second?.[0]?.start)
})

test('large payloads are referenced; small payloads and small parts of large buffers are copied', () => {
  const pages = new RecordPages()
  const whole = Buffer.alloc(64 * 1024)
  const shares = (bytes: Uint8Array): boolean =>
    pages
      .encode(headOf('1'), recordText('{', bytes, '}'))
      .ranges.some(({ buffer, start, end }) => buffer.buffer === bytes.buffer && end - start === bytes.length)
  assert.equal(shares(whole), true)
  assert.equal(shares(whole.subarray(1000)), true)
  assert.equal(shares(whole.subarray(0, 20_000)), false)
  assert.equal(shares(Buffer.alloc(1_000)), false)
})
