import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseCuts, cutBody, cutPayload, cutRecord, PAYLOAD_NAMES, type PayloadName } from './cut-record.ts'

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const parse = (array: Uint8Array | undefined): unknown =>
  array === undefined ? undefined : JSON.parse(new TextDecoder().decode(array))
const sizes = (outbound: number, ingress: number, egress: number, inbound: number): Map<PayloadName, number> =>
  new Map(PAYLOAD_NAMES.map((name, index) => [name, [outbound, ingress, egress, inbound][index] ?? 0]))

test('wire 3, wire 6: the largest payload is cut first, outbound before ingress, egress before inbound, until it fits', () => {
  const cases: readonly (readonly [Map<PayloadName, number>, number, readonly PayloadName[]])[] = [
    [sizes(1e6, 1e6, 10, 10), 2_100_000, []],
    [sizes(1e6, 1e6, 10, 10), 2_000_000, ['outbound_payload']],
    [sizes(1e6, 1e6, 10, 10), 900_000, ['outbound_payload', 'ingress_payload']],
    [sizes(10, 10, 1e6, 1e6), 1_900_000, ['egress_payload']],
    [sizes(10, 10, 9e5, 1e6), 1_000_000, ['inbound_payload']],
    [sizes(1e6, 1e6, 1e6, 1e6), 100_000, ['outbound_payload', 'ingress_payload', 'egress_payload', 'inbound_payload']],
    [sizes(1e6, 10, 10, 10), 10, ['outbound_payload']],
    [new Map(), 10, []],
  ]
  for (const [payloads, maxBytes, expected] of cases) assert.deepEqual(chooseCuts(payloads, 1000, maxBytes), expected)
})

test('wire 3: a cut payload says its bytes and its first 4 KiB, never half a character', () => {
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
  ['short text cut inside another', Buffer.from('a😀').subarray(0, 4), 'a'],
  ['no text', noText, JSON.stringify({ base64: noText.toString('base64') })],
  ['latin1', Buffer.from('caf\xe9s noirs', 'latin1'), JSON.stringify({ base64: btoa('caf\xe9s noirs') })],
  ['long, no text', Buffer.alloc(9_000, noText), JSON.stringify({ base64: btoa('\xff\xd8\xff\xe0'.repeat(765)) })],
]

for (const [name, start, head] of bodies) {
  test(`wire 3: the head of a cut body is text or base64, never U+FFFD: ${name}`, () => {
    assert.deepEqual(JSON.parse(cutBody(start, 70_000)), { cut: true, bytes: 70_000, head })
    assert.ok(Buffer.byteLength(head) <= 4_096)
  })
}

test('wire 3: a serialized record is cut, its rest stays byte for byte', () => {
  const request = { gl_path: '/echo/', ingress_payload: 'a'.repeat(9_000), outbound_payload: 'b'.repeat(9_000) }
  const response = { inbound_payload: [1], egress_payload: 'c'.repeat(50_000), inbound_headers: { A: ['}'] } }
  const record = bytes({ session_id: 's', request, response })
  assert.equal(cutRecord(record, record.length), record)
  const egressCut = { cut: true, bytes: 50_002, head: `"${'c'.repeat(4095)}` }
  const outboundCut = { cut: true, bytes: 9_002, head: `"${'b'.repeat(4095)}` }
  assert.deepEqual(parse(cutRecord(record, record.length - 1)), {
    session_id: 's',
    request,
    response: { ...response, egress_payload: egressCut },
    cut: ['egress_payload'],
  })
  assert.deepEqual(parse(cutRecord(record, 20_000)), {
    session_id: 's',
    request: { ...request, outbound_payload: outboundCut },
    response: { ...response, egress_payload: egressCut },
    cut: ['egress_payload', 'outbound_payload'],
  })
  assert.equal(cutRecord(record, 1_000), undefined)
})

test('wire 3: a record that was cut before is cut further, and a cut payload never twice', () => {
  const payload = 'b'.repeat(90_000)
  const record = bytes({ request: { ingress_payload: payload, outbound_payload: payload }, cut: [] })
  const once = cutRecord(record, 100_000)
  assert.deepEqual(parse(once), {
    request: { ingress_payload: payload, outbound_payload: JSON.parse(cutPayload(bytes(payload))) },
    cut: ['outbound_payload'],
  })
  const twice = cutRecord(once ?? record, 10_000)
  assert.deepEqual(parse(twice), {
    request: {
      ingress_payload: JSON.parse(cutPayload(bytes(payload))),
      outbound_payload: JSON.parse(cutPayload(bytes(payload))),
    },
    cut: ['outbound_payload', 'ingress_payload'],
  })
  assert.equal(cutRecord(twice ?? record, 4_000), undefined)
})

test('a payload nested 10,000 deep is cut like any other', () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const record = new TextEncoder().encode(`{"request":{"outbound_payload":${deep},"control":${deep}},"response":{}}`)
  const cut = new TextDecoder().decode(cutRecord(record, 30_000))
  assert.equal(
    cut,
    `{"request":{"outbound_payload":${cutPayload(Buffer.from(deep))},"control":${deep}},"response":{},"cut":["outbound_payload"]}`,
  )
})

test('what is no record is never cut', () => {
  for (const text of ['', '[]', '{"request":', '{"request":1}', 'x'.repeat(100)]) {
    assert.equal(cutRecord(new TextEncoder().encode(`${text}${' '.repeat(50)}`), 40), undefined)
  }
})

test('what chooseCuts says fits, fits', () => {
  const payload = fc.string({ unit: 'binary', maxLength: 20_000, size: 'max' })
  fc.assert(
    fc.property(payload, payload, fc.integer({ min: 100, max: 60_000 }), (one, two, maxBytes) => {
      const texts = new Map<PayloadName, Uint8Array>([
        ['outbound_payload', bytes(one)],
        ['inbound_payload', bytes(two)],
      ])
      const other = '{"request":{"outbound_payload":},"response":{"inbound_payload":}}'.length
      const cuts = chooseCuts(new Map([...texts].map(([name, text]) => [name, text.length])), other, maxBytes)
      const text = (name: PayloadName): string => {
        const json = texts.get(name) ?? new Uint8Array()
        return cuts.includes(name) ? cutPayload(json) : new TextDecoder().decode(json)
      }
      const cut = cuts.length === 0 ? '' : `,"cut":${JSON.stringify(cuts)}`
      const record = `{"request":{"outbound_payload":${text('outbound_payload')}},"response":{"inbound_payload":${text('inbound_payload')}}${cut}}`
      const size = Buffer.byteLength(record)
      assert.ok(size <= maxBytes || maxBytes < 20_000, `${size} > ${maxBytes}`)
    }),
    { numRuns: 20 },
  )
})
