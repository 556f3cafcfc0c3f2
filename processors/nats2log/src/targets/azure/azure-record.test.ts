import assert from 'node:assert/strict'
import { test } from 'node:test'
import { azureRecord } from './azure-record.ts'

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const decode = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

test('a record that fits is posted byte for byte', () => {
  const bytes = new TextEncoder().encode(' {"request": {"ingress_payload":\t"x"}}')
  assert.equal(azureRecord(bytes), bytes)
})

test('fields over 12 KB are cut as the gateway cuts payloads and named in cut; the others stay whole', () => {
  const payload = { messages: [{ role: 'user', content: 'ü'.repeat(20_000) }] }
  const text = JSON.stringify(payload)
  const fits = 'x'.repeat(11_000)
  const record = {
    session_id: 's',
    request: { gl_path: '/a/', ingress_payload: payload, outbound_payload: fits },
    response: { egress_payload: fits, tokenizer: { gpt2: 3 } },
    cut: ['response.inbound_payload'],
  }
  const head = Buffer.from(text).subarray(0, 4_095).toString()
  assert.deepEqual(decode(azureRecord(encode(record))), {
    ...record,
    request: { ...record.request, ingress_payload: { cut: true, bytes: Buffer.byteLength(text), head } },
    cut: ['response.inbound_payload', 'request.ingress_payload'],
  })
})

test('a record of another program is posted too, with its large fields cut', () => {
  const long = 'x'.repeat(40_000)
  const cut = { cut: true, bytes: 40_002, head: `"${'x'.repeat(4_095)}` }
  assert.deepEqual(decode(azureRecord(encode({ n: 1, long }))), { n: 1, long: cut, cut: ['long'] })
  for (const other of [[long], long]) assert.deepEqual(decode(azureRecord(encode(other))), other)
  const broken = new TextEncoder().encode(`{"long":"${long}`)
  assert.equal(azureRecord(broken), broken)
})

test('keys such as __proto__ are ordinary keys', () => {
  const bytes = new TextEncoder().encode(`{"__proto__":{"long":"${'x'.repeat(40_000)}"},"request":{"__proto__":1}}`)
  const text = new TextDecoder().decode(azureRecord(bytes))
  assert.match(text, /^\{"__proto__":\{"long":\{"cut":true,"bytes":40002,.*"request":\{"__proto__":1\}/)
})

const HOSTILE: readonly (readonly [string, string])[] = [
  ['5,000 levels of arrays', '['.repeat(5_000) + ']'.repeat(5_000)],
  ['a million levels of objects', `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`],
  ['12 MiB of empty objects', `[${'{},'.repeat(4 * 1024 * 1024)}{}]`],
  ['brackets that don’t fit', ']'.repeat(40_000)],
  ['a text without an end', `"${'x'.repeat(40_000)}`],
  ['escapes alone', `"${'\\'.repeat(40_000)}"`],
]
for (const [what, payload] of HOSTILE) {
  test(`a record with ${what} is cut or posted unchanged, without a crash`, () => {
    const bytes = new TextEncoder().encode(`{"request":{"ingress_payload":${payload}},"session_id":"s"}`)
    const posted = azureRecord(bytes)
    assert.ok(posted === bytes || posted.length < 60_000)
    if (posted !== bytes) assert.match(new TextDecoder().decode(posted), /"cut":\["request.ingress_payload"\]\}$/)
  })
}

test('a record with too many fields is posted unchanged', () => {
  const fields = Array.from({ length: 20_000 }, (_, n) => `"f${n}":1`).join(',')
  const bytes = new TextEncoder().encode(`{${fields}}`)
  assert.equal(azureRecord(bytes), bytes)
})
