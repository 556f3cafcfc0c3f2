import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordFilter, type FilterSettings } from './record-filter.ts'

const NONE = { fields_include: [], fields_exclude: [] }
const settings = (some: Partial<FilterSettings>): FilterSettings => ({
  payloads: 'on',
  filter: { request: NONE, response: NONE },
  ...some,
})
const RECORD =
  '{"session_id":"s","request":{"gl_path":"/a/","ingress_payload":{"x":[1]},"outbound_payload":null},"response":{"inbound_payload":"t","egress_payload":{},"token_count":{"n":1}}}'

const CASES: readonly (readonly [Partial<FilterSettings>, string])[] = [
  [{ payloads: 'off' }, '{"session_id":"s","request":{"gl_path":"/a/"},"response":{"token_count":{"n":1}}}'],
  [
    { filter: { request: { fields_include: ['gl_path'], fields_exclude: [] }, response: NONE } },
    RECORD.replace(',"ingress_payload":{"x":[1]},"outbound_payload":null', ''),
  ],
  [
    { filter: { request: NONE, response: { fields_include: ['token_count'], fields_exclude: ['token_count'] } } },
    RECORD.replace(/"response":.*\}\}/, '"response":{}}'),
  ],
]

test('a filter removes fields of request and response, and payloads off removes the payloads', () => {
  for (const [some, expected] of CASES) {
    const filter = createRecordFilter(settings(some))
    assert.ok(filter)
    assert.equal(Buffer.from(filter(Buffer.from(RECORD))).toString(), expected)
  }
  assert.equal(createRecordFilter(settings({})), undefined)
})

test('a deeply nested record and bytes that are not a record pass a filter unchanged', () => {
  const filter = createRecordFilter(settings({ payloads: 'off' }))
  assert.ok(filter)
  const deep = `{"request":{"ingress_payload":${'['.repeat(200_000)}${']'.repeat(200_000)},"url":"u"}}`
  assert.equal(Buffer.from(filter(Buffer.from(deep))).toString(), '{"request":{"url":"u"}}')
  for (const text of ['', '[1]', '{"request":', '{"request":7}', 'x']) {
    assert.equal(Buffer.from(filter(Buffer.from(text))).toString(), text)
  }
})
