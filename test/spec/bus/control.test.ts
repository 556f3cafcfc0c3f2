import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#fields-with-an-effect, docs/reference/record.md#masks

const PARTS = ['control', 'control_status_code', 'control_headers']
const controls = (
  name: string,
  reply: Readonly<Record<string, unknown>>,
  over: Omit<ProcessorEntry, 'name'> = {},
): ProcessorEntry => ({
  name,
  output_fields_write: PARTS,
  reply: () => reply,
  ...over,
})

type Case = {
  readonly path: string
  readonly rows: readonly (readonly ProcessorEntry[])[]
  readonly status: number
  /** The body's text; undefined means the LLM API's answer. */
  readonly body: string | undefined
  readonly headers?: Readonly<Record<string, string | null>>
  readonly errors?: readonly string[]
}

const one = (reply: Readonly<Record<string, unknown>>, over?: Omit<ProcessorEntry, 'name'>) => [
  [controls('c', reply, over)],
]
const stop = { control: { stop: true } }
const stopBody = '{"stop":true}'

const cases: readonly Case[] = [
  { path: '/object/', rows: one(stop), status: 200, body: stopBody },
  { path: '/string/', rows: one({ control: 'no' }), status: 200, body: '"no"' },
  { path: '/false/', rows: one({ control: false }), status: 200, body: 'false' },
  { path: '/zero/', rows: one({ control: 0 }), status: 200, body: '0' },
  { path: '/blank/', rows: one({ control: '' }), status: 200, body: '""' },
  { path: '/null/', rows: one({ control: null, control_status_code: 403 }), status: 200, body: undefined },
  { path: '/status-alone/', rows: one({ control_status_code: 403 }), status: 200, body: undefined },
  { path: '/status/', rows: one({ ...stop, control_status_code: 429 }), status: 429, body: stopBody },
  { path: '/status-first/', rows: one({ control_status_code: 599, ...stop }), status: 599, body: stopBody },
  ...[199, 600, 204.5, '403', null, {}].map((code, i) => {
    return { path: `/bad${i}/`, rows: one({ ...stop, control_status_code: code }), status: 200, body: stopBody }
  }),
  {
    path: '/headers/',
    rows: one({ ...stop, control_headers: { 'retry-after': ['7'], 'X-Two': ['a', 'b'] } }),
    status: 200,
    body: stopBody,
    headers: { 'retry-after': '7', 'x-two': 'a, b', 'content-type': 'application/json' },
  },
  {
    path: '/bad-headers/',
    rows: one({
      ...stop,
      control_headers: {
        'X-Cr': ['a\r\nX-Injected: 1'],
        'Content-Length': ['1'],
        'Session-Id': ['FAKE'],
        'X-Ok': ['1'],
      },
    }),
    status: 200,
    body: stopBody,
    headers: { 'x-ok': '1', 'x-injected': null, 'x-cr': null, 'content-length': '13' },
    errors: ['invalid: X-Cr', 'not allowed: Content-Length'],
  },
  {
    path: '/no-map/',
    rows: one({ ...stop, control_headers: 'X: 1' }),
    status: 200,
    body: stopBody,
    errors: ['not a map: control_headers'],
  },
  {
    path: '/unlisted/',
    rows: one({ ...stop, control_status_code: 403 }, { output_fields_write: ['control'] }),
    status: 200,
    body: stopBody,
  },
  {
    path: '/winner/',
    rows: [
      [
        controls('first', { control: 'first', control_headers: { 'X-By': ['first'] } }),
        controls('second', { control: 'second', control_status_code: 403 }),
        controls('third', { control_status_code: 500, control_headers: { 'X-By': ['third'] } }),
      ],
    ],
    status: 200,
    body: '"first"',
    headers: { 'x-by': 'first' },
  },
  {
    path: '/replaced/',
    rows: [
      [
        controls('first', { control: 'first', control_status_code: 403, control_headers: { 'X-By': ['first'] } }),
        controls('second', { control: 'second' }, { modifier: true }),
      ],
    ],
    status: 200,
    body: '"second"',
    headers: { 'x-by': null },
  },
  {
    path: '/withdrawn/',
    rows: [[controls('first', stop), controls('second', { control: null }, { modifier: true })]],
    status: 200,
    body: undefined,
  },
  { path: '/ends/', rows: [[controls('c', stop)], [{ name: 'next', required: true }]], status: 200, body: stopBody },
]

const SECRET = 'cookie-of-a-control'
let scene: PipelineScene

before(async () => {
  const response = [[{ name: 'answer', modifier: true, output_fields_write: ['egress_payload', 'egress_status_code'] }]]
  scene = await startPipelineScene([
    ...cases.map(({ path, rows }) => ({ path, request: rows, response })),
    {
      path: '/changed/',
      request: [[controls('c', { ...stop, control_status_code: 403 })]],
      response: [
        [
          {
            name: 'answer',
            modifier: true,
            output_fields_write: ['egress_payload', 'egress_status_code', 'egress_headers'],
            reply: () => ({
              egress_payload: { replayed: true },
              egress_status_code: 418,
              egress_headers: { 'X-A': ['1'] },
            }),
          },
        ],
      ],
    },
    {
      path: '/masked/',
      request: [
        [
          controls('c', { ...stop, control_headers: { 'Set-Cookie': [SECRET] } }),
          { name: 'gone', service_bus_topic: 'nobody.here', required: false },
          { name: 'seen', async: true },
        ],
      ],
    },
  ])
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.requests.clear()
  scene.calls.clear()
})

for (const { path, status, body, headers = {}, errors } of cases) {
  test(`a control on ${path} answers ${status} ${body ?? 'the LLM API’s answer'}`, async () => {
    const asked = await scene.ask(`${path}chat/completions`)
    assert.equal(asked.answer.status, status)
    assert.equal(scene.llm.requests.total, body === undefined ? 1 : 0, 'no outbound call with a control')
    for (const [name, value] of Object.entries(headers)) assert.equal(asked.answer.headers.get(name), value, name)
    assert.ok(
      asked.calls.some(({ name }) => name === 'answer'),
      'the response rows run',
    )
    assert.ok(!asked.calls.some(({ name }) => name === 'next'), 'the request rows end')
    const details = [asked.record.field('request.error')].flat().map((entry) => JSON.stringify(entry))
    assert.deepEqual(
      errors === undefined ? [undefined] : errors.map((text) => JSON.stringify({ name: 'c', details: text })),
      details,
    )
    if (body === undefined) return assert.equal(asked.record.field('request.control'), null)
    assert.equal(asked.body, body)
    assert.equal(asked.answer.headers.get('content-type'), 'application/json')
    assert.notEqual(asked.answer.headers.get('session-id'), 'FAKE')
    assert.deepEqual(asked.record.field('request.control'), JSON.parse(body))
    assert.deepEqual(asked.record.field('response.egress_payload'), JSON.parse(body))
    assert.equal(asked.record.field('response.egress_status_code'), status)
    assert.equal(asked.record.record.error_type, undefined)
    for (const name of ['inbound_status_code', 'inbound_payload', 'inbound_headers', 'outbound_inbound_timer']) {
      assert.equal(asked.record.field(`response.${name}`), undefined, name)
    }
  })
}

test('response rows change a control as they change an answer of an LLM API (a replay)', async () => {
  const { answer, body, calls } = await scene.ask('/changed/')
  assert.deepEqual([answer.status, body, answer.headers.get('x-a')], [418, '{"replayed":true}', '1'])
  assert.equal(answer.headers.get('content-length'), '17')
  const { egress_payload, egress_status_code } = calls.find(({ name }) => name === 'answer')?.fields ?? {}
  assert.deepEqual([egress_payload, egress_status_code], [{ stop: true }, 403])
})

test('a masked header of a control reaches only the caller', async () => {
  const { answer, record, calls } = await scene.ask('/masked/')
  assert.equal(answer.headers.get('set-cookie'), SECRET)
  assert.deepEqual(record.field('request.control_headers'), { 'Set-Cookie': ['[*****MASKED*****]'] })
  assert.ok(!record.text.includes(SECRET))
  assert.ok(calls.some(({ name }) => name === 'seen'))
  for (const { text } of calls) assert.ok(!text.includes(SECRET))
})
