// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#request

/** All fields of a request without query at its first row, without ids and timers. */
const REQUEST_FIELDS = [
  'control',
  'gl_path',
  'ingress_headers',
  'ingress_method',
  'ingress_payload',
  'ingress_subpath',
  'outbound_headers',
  'outbound_headers_discarded',
  'outbound_headers_removed',
  'outbound_payload',
  'outbound_subpath',
  'url',
  'url_path',
]
const QUERY_FIELDS = ['ingress_query_parameters', 'outbound_query_parameters']
const RESPONSE_FIELDS = [
  'egress_headers',
  'egress_headers_removed',
  'egress_payload',
  'egress_status_code',
  'gl_path',
  'inbound_headers',
  'inbound_payload',
  'inbound_status_code',
]

type Selection = { readonly include?: readonly string[]; readonly exclude?: readonly string[] }
type Expected = readonly string[] | 'not called'

const requests: readonly (readonly [name: string, select: Selection, fields: Expected])[] = [
  ['no list: everything', {}, [...REQUEST_FIELDS, ...QUERY_FIELDS]],
  ['include', { include: ['gl_path', 'ingress_payload'] }, ['gl_path', 'ingress_payload']],
  ['exclude', { exclude: [...QUERY_FIELDS, 'url', 'url_path'] }, REQUEST_FIELDS.filter((f) => !f.startsWith('url'))],
  ['include, then exclude', { include: ['gl_path', 'control'], exclude: ['control'] }, ['gl_path']],
  ['include of an existing and a missing field', { include: ['gl_path', 'nowhere'] }, ['gl_path']],
  ['include of missing fields only', { include: ['nowhere', 'processors'] }, 'not called'],
  ['include of an excluded field', { include: ['url'], exclude: ['url'] }, 'not called'],
  ['second-level names select nothing', { include: ['ingress_payload.a'] }, 'not called'],
]
const responses: readonly (readonly [name: string, select: Selection, fields: Expected])[] = [
  ['no list: everything', {}, RESPONSE_FIELDS],
  ['include', { include: ['inbound_payload', 'gl_path'] }, ['gl_path', 'inbound_payload']],
  ['exclude', { exclude: ['inbound_headers'] }, RESPONSE_FIELDS.filter((field) => field !== 'inbound_headers')],
  ['include of a field of the request', { include: ['ingress_payload'] }, 'not called'],
]

const entry = ({ include = [], exclude = [] }: Selection) => ({
  name: 'probe',
  required: true,
  input_fields_include: include,
  input_fields_exclude: exclude,
})

let scene: PipelineScene

before(async () => {
  scene = await startPipelineScene([
    ...requests.map(([, select], i) => ({ path: `/request${i}/`, request: [[entry(select)]] })),
    ...responses.map(([, select], i) => ({ path: `/response${i}/`, response: [[entry(select)]] })),
    {
      path: '/known/',
      request: [[{ name: 'first' }, { name: 'failing', service_bus_topic: 'nobody.here' }], [{ name: 'second' }]],
      response: [[{ name: 'noted', input_fields_include: ['error', 'egress_status_code'], async: true }]],
    },
  ])
})
after(() => scene.close())

for (const [phase, cases] of [
  ['request', requests],
  ['response', responses],
] as const) {
  for (const [i, [name, , expected]] of cases.entries()) {
    test(`the message of the ${phase} phase has its selected fields: ${name}`, async () => {
      const { answer, calls } = await scene.ask(`/${phase}${i}/chat/completions?api-version=1`)
      assert.equal(answer.status, 200)
      if (expected === 'not called') return assert.equal(calls.length, 0)
      const [call] = calls
      assert.deepEqual(Object.keys(call?.fields ?? {}).sort(), [...expected].sort())
      assert.equal(call?.text, JSON.stringify(call?.fields), 'compact JSON, no envelope')
    })
  }
}

test('the fields of messages are those of the record', async () => {
  const { calls, record } = await scene.ask('/request0/chat/completions?api-version=1')
  const { control, ...fields } = calls.at(-1)?.fields ?? {}
  assert.equal(control, null)
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(value, record.field(`request.${name}`), name)
  const response = await scene.ask('/response0/chat/completions')
  const { egress_headers, ...rest } = response.calls.at(-1)?.fields ?? {}
  for (const [name, value] of Object.entries(rest)) assert.deepEqual(value, response.record.field(`response.${name}`))
})

test('a later row sees the processors and errors of the rows before it', async () => {
  scene.llm.respond(() => ({ kind: 'reset' }))
  const { calls } = await scene.ask('/known/')
  scene.llm.respond(undefined)
  const [first, second, noted] = ['first', 'second', 'noted'].map((at) => calls.find(({ name }) => name === at)?.fields)
  assert.equal(first?.processors, undefined)
  assert.equal(first?.error, undefined)
  assert.deepEqual(second?.error, [{ name: 'failing', details: 'no responders' }])
  assert.match(JSON.stringify(second?.processors), /^\[\{"name":"first",.*\{"name":"failing",/)
  assert.deepEqual(noted, {
    egress_status_code: 502,
    error: [
      { name: 'outbound', details: 'UPSTREAM_RESET' },
      { name: 'egress_status_code', details: '502' },
    ],
  })
})
