import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { connectBusClient } from '../../fake/bus-client.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/record.md#cuts, docs/reference/record.md#payloads, docs/reference/kept-records.md#message-ids,
// docs/reference/bus.md#alive

const MAX_PAYLOAD = 32 * 1024

let scene: Scene

before(async () => {
  scene = await startScene({ admin: true, nats: { maxPayload: MAX_PAYLOAD } })
})
after(() => scene.close())
beforeEach(() => {
  scene.records.clear()
  scene.llm.respond(undefined)
})

async function ask(body: unknown): Promise<Response> {
  const answer = await fetch(`${scene.url}/x`, { method: 'POST', body: JSON.stringify(body) })
  await answer.arrayBuffer()
  return answer
}

type CutPayload = { readonly cut: boolean; readonly bytes: number; readonly head: string }
type CutCase = readonly [what: string, request: number, response: number, cut: readonly string[] | undefined]

const cutCases: readonly CutCase[] = [
  ['a small record', 1_000, 1_000, undefined],
  ['a large request', 20_000, 10, ['outbound_payload']],
  ['a large answer', 10, 20_000, ['egress_payload']],
  ['a request whose single copy is too large', 40_000, 10, ['outbound_payload', 'ingress_payload']],
  [
    'a large request and a large answer',
    40_000,
    50_000,
    ['egress_payload', 'inbound_payload', 'outbound_payload', 'ingress_payload'],
  ],
]

for (const [what, request, response, cut] of cutCases) {
  test(`payloads are cut, the largest first, until the record fits the bus’s max_payload; the record names them: ${what}`, async () => {
    const [asked, answered] = [JSON.stringify('ü'.repeat(request / 2)), JSON.stringify('x'.repeat(response))]
    scene.llm.respond(() => jsonAnswer(JSON.parse(answered)))
    const answer = await ask(JSON.parse(asked))
    assert.equal(answer.status, 200)
    const record = await scene.recordOf(answer)
    assert.ok(record.bytes.length <= MAX_PAYLOAD)
    assert.deepEqual(record.record.cut, cut)
    for (const [side, name, text] of [
      ['request', 'ingress_payload', asked],
      ['request', 'outbound_payload', asked],
      ['response', 'inbound_payload', answered],
      ['response', 'egress_payload', answered],
    ] as const) {
      const held = record.field(`${side}.${name}`)
      if (!cut?.includes(name)) assert.equal(JSON.stringify(held), text, name)
      else assertCut(held, text)
    }
    assert.equal(record.field('response.egress_status_code'), 200)
  })
}

function assertCut(held: unknown, text: string): void {
  const { cut, bytes, head }: CutPayload = Object(held)
  assert.deepEqual([cut, bytes], [true, Buffer.byteLength(text)])
  assert.ok(text.startsWith(head), 'whole characters of the beginning')
  const length = Buffer.byteLength(head)
  assert.ok(length > 4_090 && length <= 4_096, `${length} bytes`)
}

test('each call publishes one record, with a Nats-Msg-Id of its own that isn’t the transaction_id', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask({})))
  await scene.records.waitForCount(answers.length)
  // Records leave in order, so a later record shows that no repeat is under way.
  const last = await scene.recordOf(await ask({}))
  const all = scene.records.journal.entries
  assert.equal(all.length, answers.length + 1)
  const ids = all.map(({ messageId }) => messageId ?? '')
  assert.equal(new Set(ids).size, ids.length)
  const [, prefix] = /^(GATEWAY1-\d{19})-\d+$/.exec(ids[0] ?? '') ?? []
  const sequence = ids.map((id) => Number(id.slice(`${prefix}-`.length)))
  assert.deepEqual(
    sequence,
    sequence.map((_, i) => (sequence[0] ?? 0) + i),
    'one process, one sequence',
  )
  assert.deepEqual(
    new Set(all.map(({ record }) => record.transaction_id)),
    new Set([...answers.map(({ headers }) => headers.get('session-id')), last.record.transaction_id]),
  )
})

test('two calls with one transaction_id have two message ids', async () => {
  const headers = { 'Session-Id': 'GATEWAY1_1_1_0' }
  for (const _ of [1, 2]) await fetch(`${scene.url}/x`, { method: 'POST', body: '{}', headers })
  const [one, two] = await scene.records.waitForCount(2)
  assert.deepEqual([one?.record.transaction_id, two?.record.transaction_id], ['GATEWAY1_1_1_1', 'GATEWAY1_1_1_1'])
  assert.notEqual(one?.messageId, two?.messageId)
})

test('payloads are in the record as they came, numbers and order kept', async () => {
  const body = '{"b":1.0,"a":[1e400,-0,12345678901234567890],"__proto__":{"x":1},"b":"\\u00fc"}'
  const answer = await fetch(`${scene.gateway.url}/echo/`, { method: 'POST', body })
  assert.equal(await answer.text(), body)
  const { text } = await scene.recordOf(answer)
  assert.equal(text.split(body).length - 1, 4, 'all four payloads')
})

test('the logger takes fields_include, then fields_exclude, on each side', async () => {
  const { gateway } = scene
  const logger = {
    request: { fields_include: ['gl_path', 'ingress_payload', 'url'], fields_exclude: ['url'] },
    response: { fields_exclude: ['inbound_payload', 'egress_payload', 'error'] },
  }
  await gateway.waitForDigest(await gateway.editConfig({ logger }))
  const { record } = await scene.recordOf(await ask({}))
  assert.deepEqual(record.request, { gl_path: '/llm/', ingress_payload: {} })
  const names = Object.keys(record.response ?? {})
  assert.ok(!names.some((name) => logger.response.fields_exclude.includes(name)))
  assert.ok(names.includes('egress_status_code') && names.includes('outbound_inbound_timer'))
  const root = ['egress_post_timer', 'ingress_egress_timer', 'request', 'response', 'session_id', 'transaction_id']
  assert.deepEqual(
    Object.keys(record)
      .filter((name) => name !== 'error_type')
      .sort(),
    root,
  )
})

test('the isalive subject tells the last transaction and the last error', async () => {
  await using client = await connectBusClient(scene.nats)
  const alive = async () => JSON.parse(Buffer.from(await client.request('llm.gl.isalive', Buffer.alloc(0))).toString())
  scene.llm.respond(() => ({ kind: 'reset' }))
  const failed = await ask({})
  await scene.recordOf(failed)
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
  const first = await alive()
  assert.deepEqual(Object.keys(first), ['Status', 'Body', 'Error'])
  assert.deepEqual([first.Status, first.Error], [200, null])
  assert.equal(first.Body.LastTransactionID, failed.headers.get('session-id'))
  assert.match(first.Body.LastIngressTime, time)
  assert.deepEqual([first.Body.LastError, first.Body.LastErrorTime], ['provider_connect', first.Body.LastIngressTime])
  scene.llm.respond(() => jsonAnswer({}))
  const next = await ask({})
  await scene.recordOf(next)
  const second = await alive()
  assert.equal(second.Body.LastTransactionID, next.headers.get('session-id'))
  assert.deepEqual([second.Body.LastError, second.Body.LastErrorTime], ['provider_connect', first.Body.LastErrorTime])
  assert.ok(second.Body.LastIngressTime > first.Body.LastIngressTime)
})
