import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/configuration-rules.md#routers-in-the-file, docs/reference/record.md#which-calls-have-a-record

const KEY = 'caller-key-7c1'
const TYPE = 'Content-Type: application/json'
const routers: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '/key/': { 'Api-Key': [KEY] },
  '/list/': { 'X-List': ['one', 'two'] },
  '/present/': { 'X-Any': ['regex:.+'] },
  '/pattern/': { 'X-Any': ['regex:.+', 'two'] },
  '/other-pattern/': { 'X-Any': ['regex:a.*'] },
  '/typed/': { 'Content-Type': ['application/json'] },
  '/any-type/': { 'Content-Type': ['regex:.+'] },
  '/both/': { 'Content-Type': ['application/json'], 'Api-Key': [KEY] },
}

let scene: Scene

before(async () => {
  scene = await startScene({
    routers: (url) =>
      Object.entries(routers).map(([path, headers]) => ({ path, ingress: { headers }, outbound: { url } })),
  })
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
})
after(() => scene.close())
beforeEach(() => scene.llm.requests.clear())

type Case = readonly [path: string, headers: readonly string[], expected: 200 | 'missing' | 'invalid', body?: string]

const cases: readonly Case[] = [
  ['/key/', [`Api-Key: ${KEY}`], 200],
  ['/key/', [`aPI-kEY:   ${KEY}  `], 200],
  ['/key/', [], 'missing'],
  ['/key/', ['Api-Key:'], 'invalid'],
  ['/key/', [`Api-Key: ${KEY}x`], 'invalid'],
  ['/key/', [`Api-Key: ${KEY.slice(0, -1)}`], 'invalid'],
  ['/key/', [`Api-Key: ${KEY.toUpperCase()}`], 'invalid'],
  ['/key/', [`Api-Key: "${KEY}"`], 'invalid'],
  ['/key/', [`Api-Key: ${KEY}`, `Api-Key: ${KEY}`], 'invalid'],
  ['/key/', [`Api-Key: ${KEY}`, 'api-key: x'], 'invalid'],
  ['/key/', [`Api-Key: ${KEY}, ${KEY}`], 'invalid'],
  ['/key/', [`Api_Key: ${KEY}`, `X-Api-Key: ${KEY}`], 'missing'],
  ['/key/', ['Api-Key: regex:.+'], 'invalid'],
  ['/key/', [`Api-Key: ${KEY}\xa0`], 'invalid'],
  ['/list/', ['X-List: one', 'x-list: two'], 200],
  ['/list/', ['X-List: two', 'X-List: one'], 'invalid'],
  ['/list/', ['X-List: one'], 'invalid'],
  ['/list/', ['X-List: one', 'X-List: two', 'X-List: three'], 'invalid'],
  ['/list/', ['X-List: one, two'], 'invalid'],
  ['/present/', ['X-Any: anything'], 200],
  ['/present/', ['X-Any:', 'X-Any: anything'], 200],
  ['/present/', ['X-Any:'], 'invalid'],
  ['/present/', [], 'missing'],
  ['/pattern/', ['X-Any: x', 'X-Any: two'], 'invalid'],
  ['/pattern/', ['X-Any: regex:.+', 'X-Any: two'], 200],
  ['/other-pattern/', ['X-Any: abc'], 'invalid'],
  ['/other-pattern/', ['X-Any: regex:a.*'], 200],
  ['/typed/', [TYPE], 200, '{}'],
  ['/typed/', ['Content-Type: APPLICATION/Json;charset=utf-8'], 200, '{}'],
  ['/typed/', ['Content-Type: application/json ; charset="UTF-8"; x=y'], 200, '{}'],
  ['/typed/', ['Content-Type: text/plain'], 'invalid', '{}'],
  ['/typed/', ['Content-Type: application/json-seq'], 'invalid', '{}'],
  ['/typed/', [TYPE, TYPE], 'invalid', '{}'],
  ['/typed/', [], 'missing', '{}'],
  ['/typed/', [], 200],
  ['/typed/', ['Content-Type: text/plain'], 200],
  ['/any-type/', ['Content-Type: text/plain'], 200, '{}'],
  ['/any-type/', [], 'missing', '{}'],
  ['/any-type/', [], 200],
  ['/both/', [TYPE, `Api-Key: ${KEY}`], 200, '{}'],
  ['/both/', [`Api-Key: ${KEY}`], 'missing', '{}'],
  ['/both/', [TYPE], 'missing', '{}'],
  ['/both/', [TYPE], 'missing'],
]

for (const [path, headers, expected, body] of cases) {
  const name = `${path} ${body === undefined ? '' : 'with a body '}${JSON.stringify(headers)}`
  test(`${name}: ${expected}`, async () => {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await askRaw(scene.gateway.port, `${path}x`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    assert.equal(scene.llm.requests.total, expected === 200 ? 1 : 0)
    if (expected === 200) return assert.equal(answer.status, 200)
    assert.equal(answer.status, 401)
    const { error } = JSON.parse(answer.body)
    assert.deepEqual([error.code, error.type], [`INGRESS_HEADER_${expected.toUpperCase()}`, 'caller_unauthorized'])
    // The message names the header and never a value, neither the configured one nor the caller's.
    assert.match(error.message, /^The header [A-Z][A-Za-z-]+ is (required|not valid)\.$/)
    assert.match(answer.headers.get('session-id') ?? '', /_0$/)
  })
}

test('a refused call has no record; with log_unauthorized it has a record without the key', async () => {
  const { gateway, records } = scene
  const unrecorded = await askRaw(gateway.port, '/key/x', { headers: [`Api-Key: ${KEY}1`] })
  await gateway.editConfig({ log_unauthorized: true })
  await gateway.logs.waitFor(({ msg }) => msg === 'configuration reloaded')
  const answer = await askRaw(gateway.port, '/key/x', {
    method: 'POST',
    headers: [`Api-Key: ${KEY}1`],
    body: '{"a":1}',
  })
  const record = await scene.recordOf(answer)
  // Records come in order, so the first call's would be here.
  const ids = records.journal.entries.map((seen) => seen.record.transaction_id)
  assert.ok(!ids.includes(unrecorded.headers.get('session-id') ?? ''))
  assert.equal(record.record.error_type, 'caller_unauthorized')
  assert.equal(record.field('response.egress_status_code'), 401)
  assert.deepEqual(record.field('request.ingress_headers.Api-Key'), ['[*****MASKED*****]'])
  assert.equal(record.field('request.ingress_payload'), null)
  assert.doesNotMatch(record.text, new RegExp(KEY))
})
