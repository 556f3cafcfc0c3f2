import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recordText } from './bus-under-test.ts'
import { cutMessage } from './cut-message.ts'
import { cutPayload } from './cut-payload.ts'
import { createMessageHeads } from './message-head.ts'
import { CuttablePart, type RecordMessage } from './record-message.ts'
import { RecordPages } from './record-pages.ts'

// Rules: docs/reference/record.md#cuts

const headOf = createMessageHeads('llm.gl.logger')
const KIB = 1024
const bytes = (length: number): Buffer => Buffer.from(JSON.stringify('x'.repeat(length - 2)))

type Values = Readonly<Record<string, number>>

function messageOf(values: Values): RecordMessage {
  const parts = Object.entries(values).flatMap(([name, length], index) => [
    `${index === 0 ? '{' : ','}"${name}":`,
    new CuttablePart(name, bytes(length)),
  ])
  return new RecordPages().encode(headOf('1'), recordText(...parts, '}'))
}

const wireSize = (message: RecordMessage): string => {
  const [first] = message.ranges
  return first?.buffer.subarray(first.start, first.start + message.head.sizeEnd).toString() ?? ''
}

const cases: readonly (readonly [values: Values, most: number, cut: readonly string[]])[] = [
  [{ ingress_payload: 1e6, outbound_payload: 1e6 }, 2_100_000, []],
  [{ ingress_payload: 1e6, outbound_payload: 1e6 }, 1_900_000, ['outbound_payload']],
  [{ ingress_payload: 1e6, outbound_payload: 1e6 }, 900_000, ['outbound_payload', 'ingress_payload']],
  [{ inbound_payload: 1e6, egress_payload: 1e6 }, 1_900_000, ['egress_payload']],
  [{ inbound_payload: 1e6, egress_payload: 9e5 }, 1_000_000, ['inbound_payload']],
  [{ nlp_entities: 2e6, egress_payload: 1e5 }, 2_050_000, ['egress_payload']],
  [{ nlp_entities: 2e6, egress_payload: 1e5 }, 1_000_000, ['egress_payload', 'nlp_entities']],
]

for (const [values, most, cut] of cases) {
  test(`a record of ${JSON.stringify(values)} cuts ${cut.join(' and ') || 'nothing'} to fit ${most} bytes`, () => {
    const message = cutMessage(messageOf(values), most)
    assert.ok(message !== undefined && message.size <= most)
    const record: Record<string, unknown> = JSON.parse(message.toJson().toString())
    assert.deepEqual(record.cut, cut.length === 0 ? undefined : cut)
    for (const [name, length] of Object.entries(values)) {
      const expected = cut.includes(name) ? JSON.parse(cutPayload(bytes(length))) : JSON.parse(String(bytes(length)))
      assert.deepEqual(record[name], expected)
    }
    assert.match(wireSize(message), new RegExp(` 0*${message.size}$`))
  })
}

test('a cut record is cut again for a bus with a smaller limit, and `cut` lists both payloads', () => {
  const once = cutMessage(messageOf({ outbound_payload: 90 * KIB, ingress_payload: 80 * KIB }), 100 * KIB)
  assert.ok(once !== undefined)
  const twice = cutMessage(once, 50 * KIB)
  assert.ok(twice !== undefined)
  assert.deepEqual(JSON.parse(twice.toJson().toString()).cut, ['outbound_payload', 'ingress_payload'])
  assert.equal(cutMessage(twice, KIB), undefined)
})

test('cutting one record leaves its neighbours in the page as they are', () => {
  const pages = new RecordPages()
  const payload = (): CuttablePart => new CuttablePart('egress_payload', bytes(20 * KIB))
  const messages = ['1', '2', '3'].map((id) =>
    pages.encode(headOf(id), recordText('{"egress_payload":', payload(), '}')),
  )
  const before = messages.map((message) => message.toJson())
  assert.ok(messages[1] !== undefined)
  assert.ok(cutMessage(messages[1], 10 * KIB) !== undefined)
  assert.deepEqual(messages[0]?.toJson(), before[0])
  assert.deepEqual(messages[2]?.toJson(), before[2])
})

test('a cut leaves the message itself as it is, since a bus with a larger limit may take it later', () => {
  const message = messageOf({ egress_payload: 20 * KIB })
  assert.ok(cutMessage(message, 10 * KIB) !== undefined)
  assert.match(wireSize(message), new RegExp(` 0*${message.size}$`))
})

test('a record that fits after cutting is valid JSON within the limit', () => {
  const names = fc.uniqueArray(fc.constantFrom('ingress_payload', 'outbound_payload', 'egress_payload', 'a', 'b'))
  fc.assert(
    fc.property(
      names,
      fc.array(fc.integer({ min: 16 * KIB, max: 60 * KIB })),
      fc.nat(200 * KIB),
      (keys, sizes, most) => {
        const values = Object.fromEntries(keys.map((name, index) => [name, sizes[index] ?? 16 * KIB]))
        if (keys.length === 0) return
        const cut = cutMessage(messageOf(values), most)
        if (cut === undefined) return
        assert.ok(cut.size <= most)
        assert.deepEqual(
          Object.keys(JSON.parse(cut.toJson().toString())).filter((name) => name !== 'cut'),
          keys,
        )
      },
    ),
  )
})
