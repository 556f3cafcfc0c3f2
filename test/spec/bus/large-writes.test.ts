import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#fields-with-an-effect

type Phase = 'request' | 'response'
type Case = {
  readonly rule: string
  readonly phase: Phase
  readonly field: string
  /** The field's value as it is written in the reply. */
  readonly json: string
  readonly more?: string
  /** The body for the caller. */
  readonly body?: string
  /** The value in the record; undefined means the value without the reply. */
  readonly recorded?: unknown
  readonly errors?: readonly string[]
}

const TEXT = '# an answer'
const LINES = 'a "line" \u0001 of é€😀\n'.repeat(100_000)
const DEEP = '['.repeat(1_001) + ']'.repeat(1_001)
const LONG_MAP = JSON.stringify({ 'X-Long': ['x'.repeat(262_144)] })
const MANY = JSON.stringify({ x: Array.from({ length: 10_000 }, () => '1') })
const LONG_PATH = JSON.stringify('p'.repeat(16_384))

function tooLarge(phase: Phase, field: string, json: string): Case {
  return { rule: `${field} of ${json.length} bytes`, phase, field, json, errors: [`too large: ${field}`] }
}

function tooDeep(phase: Phase, field: string): Case {
  return { rule: `${field}, nested too deep`, phase, field, json: DEEP, errors: [`too deep: ${field}`] }
}

const cases: readonly Case[] = [
  tooLarge('request', 'gl_path', LONG_PATH),
  tooLarge('request', 'outbound_subpath', LONG_PATH),
  ...['outbound_headers', 'outbound_query_parameters'].flatMap((field) => [
    tooLarge('request', field, LONG_MAP),
    tooLarge('request', field, MANY),
  ]),
  ...[LONG_MAP, MANY].map((json) => tooLarge('response', 'egress_headers', json)),
  tooLarge('response', 'egress_status_code', `200.${'0'.repeat(16_384)}`),
  ...['outbound_payload', 'outbound_headers', 'gl_path'].map((field) => tooDeep('request', field)),
  ...['egress_payload', 'egress_headers', 'egress_status_code'].map((field) => tooDeep('response', field)),
  {
    rule: 'a field without an effect is recorded whole',
    phase: 'request',
    field: 'ingress_payload',
    json: JSON.stringify(LINES),
    recorded: LINES,
  },
  {
    rule: 'a payload is sent without the white space outside its strings, and otherwise as it was written',
    phase: 'response',
    field: 'egress_payload',
    json: `{ "a" : [ 1.50 , " x " ] , "a" : ${' '.repeat(100_000)}"\\u0061" }`,
    body: '{"a":[1.50," x "],"a":"\\u0061"}',
    recorded: { a: 'a' },
  },
  {
    rule: 'a long string replaces a text as it is',
    phase: 'response',
    field: 'egress_payload',
    json: JSON.stringify(LINES),
    body: LINES,
    recorded: LINES,
  },
]

const control: ProcessorEntry = {
  name: 'writer',
  output_fields_write: ['control', 'control_headers', 'control_status_code'],
  reply: () =>
    `{"control":{ "a" : [${' {} ,'.repeat(99_999)} {} ] },"control_status_code": 201 ,"control_headers":${LONG_MAP}}`,
}

let scene: PipelineScene

before(async () => {
  const routers = cases.map(({ phase, field, json }, i) => {
    const reply = () => `{"unlisted":${LONG_MAP},"${field}" : ${json}\n}`
    return { path: `/case${i}/`, [phase]: [[{ name: 'writer', modifier: true, output_fields_write: [field], reply }]] }
  })
  scene = await startPipelineScene([...routers, { path: '/control/', request: [[control]] }])
  scene.llm.respond(() => ({ kind: 'answer', headers: [['Content-Type', 'text/markdown']], body: TEXT }))
})
after(() => scene.close())

for (const [i, { rule, phase, field, body = TEXT, recorded, errors }] of cases.entries()) {
  test(`a large write in the ${phase} phase: ${rule}`, async () => {
    const asked = await scene.ask(`/case${i}/?a=1`)
    assert.equal(asked.answer.status, 200)
    assert.equal(asked.body, body)
    const entries = errors?.map((details) => ({ name: 'writer', details }))
    assert.deepEqual(asked.record.field(`${phase}.error`), entries)
    if (recorded !== undefined) assert.deepEqual(asked.record.field(`${phase}.${field}`), recorded)
  })
}

test('a large control is answered without its white space; headers that are too large are left out', async () => {
  const asked = await scene.ask('/control/')
  assert.equal(asked.answer.status, 201)
  assert.equal(asked.body, `{"a":[${'{},'.repeat(99_999)}{}]}`)
  assert.equal(asked.answer.headers.get('x-long'), null)
  assert.deepEqual(asked.record.field('request.error'), [{ name: 'writer', details: 'too large: control_headers' }])
})
