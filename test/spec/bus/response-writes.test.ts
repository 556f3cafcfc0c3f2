import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#fields-with-an-effect, docs/reference/bus.md#reply

type Written = Readonly<Record<string, unknown>>
type Expected = {
  readonly status?: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly errors?: readonly string[]
  readonly record?: Written
}
type Case = readonly [rule: string, from: keyof typeof answers, written: Written, expected: Expected]

const MASKED = '[*****MASKED*****]'
const stream = 'data: {"odd":1}\n\ndata: [DONE]\n\n'
const answers = {
  json: answer('application/json; charset=utf-8', '{"a": 1}', [['ETag', '"1"']]),
  gzip: answer('application/json', gzipSync('{"a": 1}'), [['Content-Encoding', 'gzip']]),
  text: answer('text/markdown', '# a'),
  binary: answer('application/octet-stream', Buffer.of(0xff, 0x00)),
  stream: answer('text/event-stream; charset=utf-8', stream),
  error: { ...answer('application/json', '{"error":1}'), status: 429 },
} satisfies Record<string, LlmAnswer>

function answer(type: string, body: string | Uint8Array, more: readonly (readonly [string, string])[] = []) {
  const headers = [
    ['Content-Type', type],
    ['Set-Cookie', 'llm=1'],
    ['X-Llm', 'yes'],
    ['Session-Id', 'L_1_1_1'],
    ...more,
  ] as const
  return { kind: 'answer' as const, headers, body }
}

const json = { 'content-type': 'application/json', etag: null, 'content-encoding': null }
const same = { egress_payload: { c: 'ü' } }
const sameBody = '{"c":"ü"}'

const cases: readonly Case[] = [
  [
    'JSON for JSON: its own length, no ETag',
    'json',
    same,
    { body: sameBody, headers: { ...json, 'content-length': '10' } },
  ],
  ['JSON for a compressed answer: no Content-Encoding', 'gzip', same, { body: sameBody, headers: json }],
  ['JSON for a text', 'text', same, { body: sameBody, headers: json }],
  ['JSON for bytes', 'binary', same, { body: sameBody, headers: json }],
  ['a string for JSON is a JSON string', 'json', { egress_payload: '# b' }, { body: '"# b"', headers: json }],
  [
    'a string replaces a text as it is, and the type stays',
    'text',
    { egress_payload: '# ü' },
    {
      body: '# ü',
      headers: { 'content-type': 'text/markdown', 'content-length': '4' },
      record: { egress_payload: '# ü', inbound_payload: '# a' },
    },
  ],
  ['null', 'json', { egress_payload: null }, { body: 'null', headers: json, record: { egress_payload: null } }],
  [
    'a changed stream is one data chunk and [DONE]',
    'stream',
    same,
    {
      body: `data: ${sameBody}\n\ndata: [DONE]\n\n`,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      record: { egress_payload: { c: 'ü' }, inbound_payload: stream, stream: true },
    },
  ],
  [
    'a string replaces the text of a stream as it is',
    'stream',
    { egress_payload: 'data: 1\n\n' },
    {
      body: 'data: 1\n\n',
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    },
  ],
  [
    'headers written before the payload',
    'gzip',
    { egress_headers: { ETag: ['"2"'], 'Content-Type': ['text/plain'] }, ...same },
    {
      body: sameBody,
      headers: json,
    },
  ],
  [
    'headers written after the payload',
    'gzip',
    {
      ...same,
      egress_headers: { ETag: ['"2"'], 'Content-Encoding': ['gzip'], 'Content-Type': ['text/plain'], 'X-New': ['1'] },
    },
    { body: sameBody, headers: { ...json, 'x-new': '1', 'x-llm': null } },
  ],
  [
    'headers of a stream written after the payload',
    'stream',
    { ...same, egress_headers: {} },
    {
      body: `data: ${sameBody}\n\ndata: [DONE]\n\n`,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    },
  ],
  [
    'egress_headers replaces all headers but masked ones and the session header',
    'json',
    {
      egress_headers: { 'X-New': ['1'], 'Set-Cookie': ['stolen=1'], 'Session-Id': ['FAKE_1_1_1'], 'X-Llm': [MASKED] },
    },
    {
      body: '{"a": 1}',
      headers: { 'x-new': '1', 'set-cookie': 'llm=1', 'x-llm': null, 'content-length': '8' },
      record: { 'egress_headers.Set-Cookie': [MASKED] },
    },
  ],
  [
    'without a written payload the Content-Encoding can’t be changed',
    'gzip',
    { egress_headers: { 'Content-Encoding': ['br'] } },
    {
      body: '{"a": 1}',
      headers: { 'content-encoding': 'gzip' },
    },
  ],
  [
    'invalid headers are dropped with an error',
    'json',
    {
      egress_headers: { 'X-Cr': ['a\rb'], Connection: ['close'], 'Content-Length': ['1'], 'X Y': ['1'], 'X-Ok': ['1'] },
    },
    {
      body: '{"a": 1}',
      headers: { 'x-ok': '1', 'x-cr': null, 'content-length': '8' },
      errors: ['invalid: X-Cr', 'not allowed: Connection', 'not allowed: Content-Length', 'invalid: X Y'],
    },
  ],
  ['no map', 'json', { egress_headers: ['X'] }, { body: '{"a": 1}', errors: ['not a map: egress_headers'] }],
  [
    'egress_status_code',
    'json',
    { egress_status_code: 418 },
    {
      status: 418,
      body: '{"a": 1}',
      record: { inbound_status_code: 200, egress_status_code: 418 },
    },
  ],
  [
    'an error of the LLM API that becomes a success',
    'error',
    { egress_status_code: 200 },
    {
      body: '{"error":1}',
      record: { inbound_status_code: 429, egress_status_code: 200 },
    },
  ],
  ...[199, 600, '418', 418.5, null].map(
    (code): Case => [
      `egress_status_code ${JSON.stringify(code)} is ignored`,
      'json',
      { egress_status_code: code },
      { body: '{"a": 1}' },
    ],
  ),
  [
    'inbound_* and gl_path have no effect on the answer',
    'json',
    { inbound_status_code: 500, gl_path: '/echo/' },
    { body: '{"a": 1}' },
  ],
]

let scene: PipelineScene

before(async () => {
  scene = await startPipelineScene(
    cases.map(([, , written], i) => {
      const writer = { name: 'writer', modifier: true, output_fields_write: Object.keys(written), reply: () => written }
      return { path: `/case${i}/`, response: [[writer], [{ name: 'reader' }]] }
    }),
  )
})
after(() => scene.close())

for (const [i, [rule, from, , { status = 200, body, headers = {}, errors = [], record = {} }]] of cases.entries()) {
  test(`a write in the response phase: ${from}: ${rule}`, async () => {
    scene.llm.respond(() => answers[from])
    const asked = await scene.ask(`/case${i}/`)
    assert.deepEqual([asked.answer.status, asked.body], [status, body])
    for (const [name, value] of Object.entries(headers)) assert.equal(asked.answer.headers.get(name), value, name)
    assert.match(asked.answer.headers.get('session-id') ?? '', /^GATEWAY1_\d+_\d+_0$/)
    const statusError = status === 200 ? [] : [{ name: 'egress_status_code', details: String(status) }]
    const all = [...errors.map((details) => ({ name: 'writer', details })), ...statusError]
    assert.deepEqual(asked.record.field('response.error') ?? [], all)
    for (const [path, value] of Object.entries(record))
      assert.deepEqual(asked.record.field(`response.${path}`), value, path)
    assert.equal(asked.record.record.error_type, from === 'error' ? 'provider_error' : undefined)
    // The next row sees the answer as it would leave now, without the session header.
    const reader = asked.calls.find(({ name }) => name === 'reader')?.fields
    const { 'Session-Id': _, ...shown } = Object(asked.record.field('response.egress_headers'))
    assert.deepEqual(reader?.egress_headers, shown)
    assert.deepEqual(reader?.egress_payload, asked.record.field('response.egress_payload'))
    assert.ok(!JSON.stringify(reader).includes('L_1_1_1'))
  })
}
