import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../fake/gateway.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/sessions.md#ids, docs/reference/sessions.md#header

const OWN = /^GATEWAY1_(\d{19})_\d+_0$/
const STOLEN = 'STOLEN12_1_1_7'

let scene: PipelineScene
let renamed: RunningGateway
let replica: RunningGateway

before(async () => {
  const headers = { 'Session-Id': [STOLEN], 'session-id': [STOLEN] }
  scene = await startPipelineScene([
    { path: '/plain/' },
    { path: '/keyed/', router: { ingress: { headers: { 'Api-Key': ['k'] } }, outbound: { url: '$LLM' } } },
    { path: '/refused/', router: { outbound: { url: 'http://127.0.0.1:1' } } },
    {
      path: '/control/',
      request: [
        [
          {
            name: 'c',
            output_fields_write: ['control', 'control_headers'],
            reply: () => ({ control: {}, control_headers: headers }),
          },
        ],
      ],
    },
    {
      path: '/replay/',
      response: [
        [
          {
            name: 'r',
            modifier: true,
            output_fields_write: ['egress_headers'],
            reply: () => ({ egress_headers: headers }),
          },
        ],
      ],
    },
  ])
  renamed = await startGateway({ nats: scene.nats, config: { session_id_header: 'x-CHAT-id', gateway_id: 'RENAMED1' } })
  replica = await startGateway({ nats: scene.nats })
})
after(async () => {
  await Promise.all([renamed.close(), replica.close()])
  await scene.close()
})

const joins: readonly (readonly [inbound: string, session: string, transaction: string])[] = [
  [
    'GATEWAY1_1763690400123456789_48151_0',
    'GATEWAY1_1763690400123456789_48151_0',
    'GATEWAY1_1763690400123456789_48151_1',
  ],
  [
    'GATEWAY1_1763690400123456789_48151_1',
    'GATEWAY1_1763690400123456789_48151_0',
    'GATEWAY1_1763690400123456789_48151_2',
  ],
  ['OTHER_1_2_9', 'OTHER_1_2_0', 'OTHER_1_2_10'],
  ['A_1_2_99999999999999999999', 'A_1_2_0', 'A_1_2_100000000000000000000'],
]

for (const [inbound, session, transaction] of joins) {
  test(`a call with the session header ${inbound} joins its session, and the answer has the new transaction_id`, async () => {
    const { answer, record } = await scene.ask('/plain/chat/completions', { headers: { 'session-ID': inbound } })
    assert.equal(answer.headers.get('session-id'), transaction)
    assert.deepEqual([record.record.session_id, record.record.transaction_id], [session, transaction])
    assert.deepEqual(scene.llm.requests.entries.at(-1)?.header('Session-Id'), [], 'the session header is not sent on')
  })
}

for (const inbound of [
  undefined,
  'x',
  'gateway1_1_2_0',
  'A_1_2',
  'A_1_2_0_0',
  'A_1_2_-1',
  `A_1_${'2'.repeat(123)}_0`,
]) {
  test(`a call with ${inbound?.slice(0, 20) ?? 'no header'} begins a session`, async () => {
    const headers = inbound === undefined ? {} : { 'Session-Id': inbound }
    const { answer, record } = await scene.ask('/plain/chat/completions', { headers })
    assert.match(answer.headers.get('session-id') ?? '', OWN)
    assert.deepEqual(
      [record.record.session_id, record.record.transaction_id],
      [answer.headers.get('session-id'), answer.headers.get('session-id')],
    )
  })
}

test('two calls with the same inbound value get the same transaction_id', async () => {
  const headers = { 'Session-Id': 'SAMEONE1_1_1_4' }
  const both = await Promise.all([1, 2].map(() => post(`${scene.gateway.url}/echo/`, headers)))
  assert.deepEqual(
    both.map((answer) => answer.headers.get('session-id')),
    ['SAMEONE1_1_1_5', 'SAMEONE1_1_1_5'],
  )
})

const everyAnswer: readonly (readonly [path: string, status: number])[] = [
  ['/plain/chat/completions', 200],
  ['/echo/', 200],
  ['/nowhere/', 404],
  ['/keyed/', 401],
  ['/refused/', 502],
  ['/control/', 200],
  ['/replay/chat/completions', 200],
]

for (const [path, status] of everyAnswer) {
  test(`the answer of ${path} (${status}) carries the transaction_id, whatever the LLM API or a processor sets`, async () => {
    scene.llm.respond(() => jsonAnswer({}, { headers: [['Session-Id', STOLEN]] }))
    const started = await post(`${scene.gateway.url}${path}`)
    assert.equal(started.status, status)
    assert.match(started.headers.get('session-id') ?? '', OWN)
    const joined = await post(`${scene.gateway.url}${path}`, { 'Session-Id': 'JOINED12_1_1_0' })
    assert.equal(joined.headers.get('session-id'), 'JOINED12_1_1_1')
    scene.llm.respond(undefined)
  })
}

test('the session header is renamed for both directions, and the old name is a header like any other', async () => {
  const answer = await post(`${renamed.url}/echo/`, { 'X-Chat-Id': 'RENAMED1_1_1_1', 'Session-Id': 'RENAMED1_1_1_5' })
  assert.equal(answer.headers.get('x-chat-id'), 'RENAMED1_1_1_2')
  assert.equal(answer.headers.get('session-id'), null)
  const started = await post(`${renamed.url}/echo/`, { 'Session-Id': 'RENAMED1_1_1_5' })
  assert.match(started.headers.get('x-chat-id') ?? '', /^RENAMED1_\d{19}_\d+_0$/)
})

test('ids are unique across parallel calls and processes with one gateway_id and contain the time of the call', async () => {
  const before = Date.now() - 1_000
  const urls = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? scene.gateway.url : replica.url))
  const answers = await Promise.all(urls.map((url) => post(`${url}/echo/`)))
  const ids = answers.map((answer) => answer.headers.get('session-id') ?? '')
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    const milliseconds = Number(OWN.exec(id)?.[1]?.slice(0, 13))
    assert.ok(milliseconds >= before && milliseconds <= Date.now() + 1_000, id)
  }
})

async function post(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const answer = await fetch(url, { method: 'POST', body: '{}', headers })
  await answer.arrayBuffer()
  return answer
}
