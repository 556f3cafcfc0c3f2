// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import {
  type PipelineCase,
  type PipelineScene,
  type ProcessorEntry,
  startPipelineScene,
} from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#re-route, docs/reference/configuration-rules.md#routers-in-the-file

const routes = (gl_path: unknown, over: Omit<ProcessorEntry, 'name'> = {}): ProcessorEntry => ({
  name: 'broker',
  modifier: true,
  output_fields_write: ['gl_path'],
  input_fields_include: ['gl_path'],
  reply: () => ({ gl_path }),
  ...over,
})
const writes = (name: string, fields: Readonly<Record<string, unknown>>): ProcessorEntry => ({
  name,
  modifier: true,
  output_fields_write: Object.keys(fields),
  reply: () => fields,
})

const POOL = {
  ingress: { headers: { 'X-Team': ['${TEAM}'] } },
  outbound: { url: '$LLM/pool', headers: { 'X-By': ['pool'] } },
}
const SUB = {
  internal: true,
  ingress: { headers: { 'X-Sub-Check': ['never sent'] } },
  outbound: {
    url: '$LLM/base?v=url&u=1',
    endpoint: 'deployments/gpt4/chat/completions?v=endpoint',
    headers: { 'Api-Key': ['${KEY}'], 'X-By': ['sub'] },
  },
}
const REFUSED_REROUTES: readonly (readonly [
  path: string,
  gl_path: unknown,
  over?: Omit<ProcessorEntry, 'name'>,
  error?: string,
])[] = [
  ['/unknown/', '/nowhere/', {}, 'not a router to re-route to'],
  ['/disabled-target/', '/off/', {}, 'not a router to re-route to'],
  ['/not-listed/', '/sub/', { reroute_to: ['/other/'] }, 'not a router to re-route to'],
  ['/none-listed/', '/sub/', { reroute_to: [] }, 'not a router to re-route to'],
  ['/number/', 7, {}, 'not a router to re-route to'],
  ['/prefix/', '/sub/deeper/', {}, 'not a router to re-route to'],
  ['/itself/', '/itself/'],
  ['/adds/', '/sub/', { modifier: false }],
  ['/may-not/', '/sub/', { output_fields_write: ['other'] }],
]

const cases: readonly PipelineCase[] = [
  { path: '/sub/', router: SUB, response: [[{ name: 'by_sub' }]], request: [[{ name: 'later' }]] },
  { path: '/other/', router: { outbound: { url: '$LLM/other' } } },
  { path: '/off/', router: { disabled: true } },
  {
    path: '/pool/',
    router: POOL,
    request: [[routes('/sub/', { reroute_to: ['/sub/'] })]],
    response: [[{ name: 'by_pool' }]],
  },
  ...REFUSED_REROUTES.map(([path, gl_path, over]) => ({ path, router: POOL, request: [[routes(gl_path, over)]] })),
  { path: '/twice/', request: [[routes('/other/')], [{ ...routes('/sub/'), name: 'second' }]] },
  {
    path: '/earlier/',
    request: [
      [
        writes('writer', {
          outbound_payload: 'early',
          outbound_headers: { 'X-Early': ['1'] },
          outbound_subpath: 'early',
        }),
      ],
      [routes('/other/')],
    ],
  },
  {
    path: '/shown/',
    request: [[writes('masker', { ingress_payload: 'shown', ingress_subpath: 'shown' })], [routes('/other/')]],
  },
  { path: '/beside/', request: [[writes('writer', { outbound_payload: { kept: true }, gl_path: '/other/' })]] },
  { path: '/to-echo/', request: [[routes('/echo/')]] },
]

let scene: PipelineScene

before(async () => {
  scene = await startPipelineScene(cases, { env: { TEAM: 'team-key', KEY: 'real-key' } })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.requests.clear()
  scene.calls.clear()
})

const TEAM = { 'X-Team': 'team-key', 'Api-Key': 'callers-own', 'X-Sub-Check': 'of the caller' }

test('a re-routed call uses the selected router’s url, endpoint, query and headers', async () => {
  const { answer, record } = await scene.ask('/pool/rest?v=caller&w=1', { headers: TEAM })
  assert.equal(answer.status, 200)
  const [seen] = scene.llm.requests.entries
  assert.equal(seen?.url, '/base/deployments/gpt4/chat/completions?w=1&u=1&v=endpoint')
  assert.deepEqual([seen?.header('Api-Key'), seen?.header('X-By')], [['real-key'], ['sub']])
  assert.deepEqual(
    [seen?.header('X-Team'), seen?.header('X-Sub-Check')],
    [[], []],
    'the headers that the ingress checks ask for are not sent on',
  )
  for (const side of ['request', 'response']) {
    assert.deepEqual([record.field(`${side}.gl_path`), record.field(`${side}.original_gl_path`)], ['/sub/', '/pool/'])
  }
  assert.equal(record.field('request.url_path'), `${scene.llm.url}/base/deployments/gpt4/chat/completions`)
  assert.deepEqual(record.field('request.outbound_query_parameters_overwritten'), { v: ['caller'] })
})

test('the rows of the ingress router and of the answering router both apply', async () => {
  const { calls } = await scene.ask('/pool/', { headers: TEAM })
  assert.deepEqual(
    calls.map(({ name }) => name),
    ['broker', 'by_pool'],
  )
  const ofSub = scene.calls.entries.filter(({ path }) => path === '/sub/').map(({ name }) => name)
  assert.ok(ofSub.includes('by_sub'))
  assert.equal(scene.calls.entries.find(({ name }) => name === 'by_pool')?.fields.gl_path, '/sub/')
})

for (const [path, , , error] of REFUSED_REROUTES) {
  test(`a re-route to ${path} leaves the call with the ingress router`, async () => {
    const { record } = await scene.ask(`${path}chat/completions`, { headers: TEAM })
    assert.equal(scene.llm.requests.entries[0]?.url, '/pool/chat/completions')
    assert.equal(scene.llm.requests.entries[0]?.header('X-By')[0], 'pool')
    assert.equal(record.field('request.gl_path'), path)
    assert.equal(record.field('request.original_gl_path'), undefined)
    const errors = error === undefined ? undefined : [{ name: 'broker', details: error }]
    assert.deepEqual(record.field('request.error'), errors)
  })
}

test('a request is re-routed at most once', async () => {
  const { record } = await scene.ask('/twice/chat/completions')
  assert.equal(scene.llm.requests.entries[0]?.url, '/other/chat/completions')
  assert.deepEqual(record.field('request.error'), [{ name: 'second', details: 'already re-routed' }])
  assert.equal(record.field('request.gl_path'), '/other/')
  assert.equal(record.field('request.original_gl_path'), '/twice/')
})

test('a re-route keeps earlier writes to the fields of the caller’s side', async () => {
  const { record } = await scene.ask('/shown/chat/completions')
  assert.equal(record.field('request.gl_path'), '/other/')
  assert.deepEqual(
    [record.field('request.ingress_payload'), record.field('request.ingress_subpath')],
    ['shown', 'shown'],
  )
})

test('a re-route drops earlier writes to outbound_*', async () => {
  const { record } = await scene.ask('/earlier/chat/completions')
  const [seen] = scene.llm.requests.entries
  assert.deepEqual(
    [seen?.url, seen?.body.toString(), seen?.header('X-Early')],
    ['/other/chat/completions', '{"a":1}', []],
  )
  assert.deepEqual(record.field('request.outbound_payload'), { a: 1 })
  assert.equal(record.field('request.outbound_headers.X-Early'), undefined)
})

test('fields that a reply writes together with gl_path take effect, in any order of their names', async () => {
  await scene.ask('/beside/chat/completions')
  const [seen] = scene.llm.requests.entries
  assert.deepEqual([seen?.url, seen?.body.toString()], ['/other/chat/completions', '{"kept":true}'])
})

test('the gateway itself answers a call that is re-routed to /echo/', async () => {
  const { body, record } = await scene.ask('/to-echo/')
  assert.equal(body, '{"a":1}')
  assert.equal(scene.llm.requests.total, 0)
  assert.equal(record.field('response.gl_path'), '/echo/')
})

test('callers get 404 from an internal or disabled router', async () => {
  for (const path of ['/sub/', '/off/']) {
    const answer = await fetch(`${scene.gateway.url}${path}`, { method: 'POST', body: '{}', headers: TEAM })
    assert.equal(answer.status, 404)
  }
})
