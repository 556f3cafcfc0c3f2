import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifierSpans } from './identifier-patterns.ts'

const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ['Write to anna.weber+x@mail.example.org.', ['anna.weber+x@mail.example.org=EMAIL']],
  ['Pay to DE89 3704 0044 0532 0130 00 today', ['DE89 3704 0044 0532 0130 00=IBAN']],
  ['Pay to GB82WEST12345698765432.', ['GB82WEST12345698765432=IBAN']],
  ['A wrong checksum: DE88 3704 0044 0532 0130 00', []],
  ['A mistyped account: DE89 3704 0044 0532 0130 01', []],
  ['My card is 4111 1111 1111 1111, valid', ['4111 1111 1111 1111=CARD']],
  ['Order 4111 1111 1111 1112 is late', []],
  ['It listens on 192.168.0.1:8080 and 10.0.0.300', ['192.168.0.1=IP_ADDRESS']],
  ['It is 2001:db8::8a2e:370:7334 now', ['2001:db8::8a2e:370:7334=IP_ADDRESS']],
  ['Call +49 30 1234567 or (555) 123-4567', ['+49 30 1234567=PHONE', '(555) 123-4567=PHONE']],
  ['Version 1.2.3 of 12:30:45, 2024-05-01', []],
]

for (const [text, expected] of TEXTS) {
  test(`identifiers: ${text}`, () => {
    const found = identifierSpans(text).map(({ start, end, label }) => `${text.slice(start, end)}=${label}`)
    assert.deepEqual(found, expected)
  })
}

for (const filler of ['a', '1', '1 ', 'a.', 'a@', '+1 ', '1:', 'a:', 'AB12', '1.']) {
  test(`identifiers: 1 MB of ${JSON.stringify(filler)} takes less than 2 s of the CPU`, () => {
    const text = filler.repeat(1_000_000 / filler.length)
    const before = process.cpuUsage()
    identifierSpans(text)
    assert.ok(process.cpuUsage(before).user < 2_000_000)
  })
}
