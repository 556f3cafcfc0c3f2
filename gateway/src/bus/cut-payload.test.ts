import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutBody, cutPayload } from './cut-payload.ts'

// Rules: docs/reference/record.md#cuts

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

test('a cut payload has its size and its first 4 KiB, and never half a character', () => {
  assert.deepEqual(JSON.parse(cutPayload(bytes('abc'))), { cut: true, bytes: 5, head: '"abc"' })
  const long = bytes(`x${'é'.repeat(5000)}`)
  const cut = JSON.parse(cutPayload(long))
  assert.deepEqual(Object.keys(cut), ['cut', 'bytes', 'head'])
  assert.equal(cut.bytes, long.length)
  assert.equal(cut.head, `"x${'é'.repeat(2047)}`)
  for (const character of ['é', '€', '😀']) {
    const { head } = JSON.parse(cutPayload(bytes(`${character.repeat(3000)}`)))
    assert.equal(head.includes('\uFFFD'), false)
    assert.ok(Buffer.byteLength(head) > 4096 - 4 && Buffer.byteLength(head) <= 4096)
  }
})

const noText = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
const bodies: readonly (readonly [name: string, start: Buffer, head: string])[] = [
  ['text', Buffer.from('data: {}\n\n'), 'data: {}\n\n'],
  ['long text', Buffer.from(`x${'é'.repeat(5_000)}`), `x${'é'.repeat(2_047)}`],
  ['short text cut inside a character', Buffer.from('a€').subarray(0, 3), 'a'],
  ['short text cut inside another character', Buffer.from('a😀').subarray(0, 4), 'a'],
  ['no text', noText, JSON.stringify({ base64: noText.toString('base64') })],
  ['latin1', Buffer.from('caf\xe9s noirs', 'latin1'), JSON.stringify({ base64: btoa('caf\xe9s noirs') })],
  ['long, no text', Buffer.alloc(9_000, noText), JSON.stringify({ base64: btoa('\xff\xd8\xff\xe0'.repeat(765)) })],
]

for (const [name, start, head] of bodies) {
  test(`the head of a cut body is text or base64, never U+FFFD: ${name}`, () => {
    assert.deepEqual(JSON.parse(cutBody(start, 70_000)), { cut: true, bytes: 70_000, head })
    assert.ok(Buffer.byteLength(head) <= 4_096)
  })
}
