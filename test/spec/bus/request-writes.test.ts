// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { SeenRequest } from '../../fake/llm.ts'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#fields-with-an-effect, docs/reference/bus.md#reply

type Written = Readonly<Record<string, unknown>>
type Case = {
  readonly rule: string
  readonly written: Written
  readonly seen: (request: SeenRequest) => unknown
  readonly expected: unknown
  readonly errors?: readonly string[]
  readonly record?: Written
}

const MASKED = '[*****MASKED*****]'
const names = ({ rawHeaders }: SeenRequest) =>
  rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
const framing = ['host', 'connection', 'content-length']
const ownNames = (request: SeenRequest) =>
  names(request)
    .filter((name) => !framing.includes(name))
    .sort()
const url = (request: SeenRequest) => request.url
/**
 * Headers that no written map removes. The caller's cookie is not among them: a router that sets a masked header sends
 * no masked header of callers.
 */
const UNCHANGED_HEADERS = ['x-by-reference', 'x-goog-api-key']

const cases: readonly Case[] = [
  {
    rule: 'outbound_payload leaves as JSON with its own length and type',
    written: { outbound_payload: { b: [1, 'ü'] } },
    seen: (request) => [request.body.toString(), request.header('content-length'), request.header('content-type')],
    expected: ['{"b":[1,"ü"]}', ['14'], ['application/json']],
    record: { outbound_payload: { b: [1, 'ü'] }, ingress_payload: { a: 1 } },
  },
  {
    rule: 'outbound_payload may be any JSON',
    written: { outbound_payload: 'text' },
    seen: (request) => request.body.toString(),
    expected: '"text"',
  },
  {
    rule: 'outbound_headers replaces all headers; masked and configured secrets keep their values',
    written: { outbound_headers: { 'x-new': ['1', '2'] } },
    seen: (request) => [ownNames(request), request.header('X-New'), request.header('X-Goog-Api-Key')],
    expected: [[...UNCHANGED_HEADERS, 'x-new', 'x-new'].sort(), ['1', '2'], ['router-key']],
    record: { 'outbound_headers.X-New': ['1', '2'], 'outbound_headers.X-Goog-Api-Key': [MASKED] },
  },
  {
    rule: 'a masked header can’t be written, a placeholder is ignored without error',
    written: {
      outbound_headers: { 'X-Goog-Api-Key': ['stolen'], Cookie: ['x=1'], 'X-By-Reference': [MASKED], 'X-Z': [MASKED] },
    },
    seen: (request) => [ownNames(request), request.header('X-Goog-Api-Key'), request.header('X-By-Reference')],
    expected: [[...UNCHANGED_HEADERS], ['router-key'], ['reference-value']],
  },
  {
    rule: 'hop-by-hop, Host, Content-Length and invalid headers are dropped with an error; Session-Id and Content-Encoding are dropped without one',
    written: {
      outbound_headers: {
        Connection: ['close'],
        'Transfer-Encoding': ['chunked'],
        Host: ['evil'],
        'Content-Length': ['0'],
        'X-Lf': ['a\nX-B: c'],
        'X-Nul': ['\u0000'],
        'Session-Id': ['A_1_1_0'],
        'Content-Encoding': ['gzip'],
        'X-Ok': ['1'],
      },
    },
    seen: (request) => [
      ownNames(request),
      request.header('Host').join().startsWith('127.0.0.1:'),
      request.body.toString(),
    ],
    expected: [[...UNCHANGED_HEADERS, 'x-ok'].sort(), true, '{"a":1}'],
    errors: [
      ...['Connection', 'Transfer-Encoding', 'Host', 'Content-Length'].map((name) => `not allowed: ${name}`),
      'invalid: X-Lf',
      'invalid: X-Nul',
    ],
  },
  {
    rule: 'headers that a written map leaves out are recorded as discarded',
    written: { outbound_headers: {} },
    seen: (request) => request.header('X-Caller'),
    expected: [],
    record: { 'outbound_headers_discarded.X-Caller': ['from the caller'] },
  },
  {
    rule: 'a value that is no map is ignored',
    written: { outbound_headers: 'X: 1' },
    seen: (request) => request.header('X-Caller'),
    expected: ['from the caller'],
    errors: ['not a map: outbound_headers'],
  },
  {
    rule: 'outbound_subpath, with or without its first slash, is joined to the url',
    written: { outbound_subpath: '/v2/chat%2Fcompletions' },
    seen: url,
    expected: '/base/v2/chat%2Fcompletions?a=1&key=caller-query-key&fixed=1',
    record: { outbound_subpath: 'v2/chat%2Fcompletions', ingress_subpath: 'rest' },
  },
  ...['../x', 'a/%2e%2e/b', 'a\\..\\b', 'a?b=c', 'a#b', 'a b', 'a\r\nX: 1', '%0d', '%zz', 'ü', 7, null, {}].map(
    (bad) => ({
      rule: `outbound_subpath ${JSON.stringify(bad)} is ignored`,
      written: { outbound_subpath: bad },
      seen: url,
      expected: '/base/rest?a=1&key=caller-query-key&fixed=1',
      errors: ['invalid: outbound_subpath'],
    }),
  ),
  {
    rule: 'outbound_query_parameters replaces all parameters but those with masked names',
    written: { outbound_query_parameters: { 'b c': ['1', '&='], key: ['stolen'], z: [MASKED] } },
    seen: url,
    expected: '/base/rest?key=caller-query-key&b%20c=1&b%20c=%26%3D',
    record: {
      outbound_query_parameters: { key: [MASKED], 'b c': ['1', '&='] },
      outbound_query_parameters_discarded: { a: ['1'] },
    },
  },
  ...[7, [], { a: 7 }, { a: ['\ud800'] }].map((bad, i) => ({
    rule: `outbound_query_parameters ${JSON.stringify(bad)} are ignored`,
    written: { outbound_query_parameters: bad },
    seen: url,
    expected: '/base/rest?a=1&key=caller-query-key&fixed=1',
    errors: [`${i < 2 ? 'not a map' : 'invalid'}: outbound_query_parameters`],
  })),
]

let scene: PipelineScene

before(async () => {
  const outbound = {
    url: '$LLM/base?fixed=1',
    headers: { 'X-Goog-Api-Key': ['router-key'], 'X-By-Reference': ['${REFERENCE}'] },
  }
  scene = await startPipelineScene(
    cases.map(({ written }, i) => ({
      path: `/case${i}/`,
      router: { outbound },
      request: [
        [{ name: 'writer', modifier: true, output_fields_write: Object.keys(written), reply: () => written }],
        [{ name: 'reader' }],
      ],
    })),
    { env: { REFERENCE: 'reference-value' } },
  )
})
after(() => scene.close())
beforeEach(() => scene.llm.requests.clear())

for (const [i, { rule, seen, expected, errors, record = {} }] of cases.entries()) {
  test(`a write in the request phase: ${rule}`, async () => {
    const headers = { 'X-Caller': 'from the caller', Cookie: 'callers=1', 'Content-Type': 'text/plain' }
    const asked = await scene.ask(`/case${i}/rest?a=1&key=caller-query-key`, { headers })
    const [request] = scene.llm.requests.entries
    assert.ok(request !== undefined)
    assert.deepEqual(seen(request), expected)
    const entries = errors?.map((details) => ({ name: 'writer', details }))
    assert.deepEqual(asked.record.field('request.error'), entries)
    for (const [path, value] of Object.entries(record)) assert.deepEqual(asked.record.field(`request.${path}`), value)
    // The next row sees the request as it would leave now.
    const reader = asked.calls.find(({ name }) => name === 'reader')?.fields
    for (const name of ['outbound_payload', 'outbound_headers', 'outbound_query_parameters', 'url']) {
      assert.deepEqual(reader?.[name], asked.record.field(`request.${name}`), name)
    }
  })
}
