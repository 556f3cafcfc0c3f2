// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/http.md#headers-to-the-llm-api, docs/reference/configuration-rules.md#routers-in-the-file

const CALLERS = 'callers-key-4711'
const REAL = 'real-key-0815'
/** Every masked header in which callers may send a key. */
const CARRIERS = ['Api-Key', 'Authorization', 'X-Api-Key', 'X-Goog-Api-Key', 'X-Amz-Security-Token', 'Cookie']

const target = (url: string, headers: Readonly<Record<string, readonly string[]>>) => ({ outbound: { url, headers } })
const checks = (name: string) => ({ ingress: { headers: { [name]: ['${GATEWAY_API_KEY}'] } } })
const reroute = [
  [{ name: 'broker', modifier: true, output_fields_write: ['gl_path'], reply: () => ({ gl_path: '/sub/' }) }],
]

let scene: PipelineScene

before(async () => {
  scene = await startPipelineScene(
    [
      ...CARRIERS.map((name, i) => ({
        path: `/same${i}/`,
        router: { ...checks(name), ...target('$LLM', { [name]: ['${AISERVICE_API_KEY}'] }) },
      })),
      ...CARRIERS.map((name, i) => ({
        path: `/other${i}/`,
        router: { ...checks(name), ...target('$LLM', { 'X-Goog-Api-Key': ['${AISERVICE_API_KEY}'] }) },
      })),
      {
        path: '/unmasked/',
        router: { ...checks('X-Team-Key'), ...target('$LLM', { 'X-Llm-Key': ['${AISERVICE_API_KEY}'] }) },
      },
      {
        path: '/several/',
        router: { ...checks('Api-Key'), ...target('$LLM', { 'Api-Key': ['${AISERVICE_API_KEY}', 'b'] }) },
      },
      {
        path: '/pool/',
        router: { ...checks('X-Team-Key'), ...target('$LLM', { 'Api-Key': ['pool-key'] }) },
        request: reroute,
      },
      { path: '/keyed-pool/', router: { ...checks('Api-Key'), ...target('$LLM', {}) }, request: reroute },
      {
        path: '/sub/',
        router: { internal: true, ...target('$LLM', { Authorization: ['Bearer ${AISERVICE_API_KEY}'] }) },
      },
      {
        path: '/meddled/',
        router: { ...checks('Api-Key'), ...target('$LLM', { 'Api-Key': ['${AISERVICE_API_KEY}'] }) },
        request: [
          [
            {
              name: 'meddler',
              modifier: true,
              output_fields_write: ['outbound_headers'],
              reply: ({ fields }: { readonly fields: Readonly<Record<string, unknown>> }) => ({
                outbound_headers: { ...Object(fields.outbound_headers), 'api-key': ['meddled'], 'X-Seen': ['1'] },
              }),
            },
          ],
        ],
      },
      { path: '/passing/', router: target('$LLM', {}) },
    ],
    { env: { GATEWAY_API_KEY: CALLERS, AISERVICE_API_KEY: REAL } },
  )
})
after(() => scene.close())
beforeEach(() => scene.llm.requests.clear())

async function upstreamOf(path: string, name: string) {
  const headers = Object.fromEntries(CARRIERS.map((carrier) => [carrier, CALLERS]))
  const asked = await scene.ask(`${path}chat/completions`, { headers: { ...headers, [name]: CALLERS } })
  assert.equal(asked.answer.status, 200)
  const [request] = scene.llm.requests.entries
  assert.ok(request !== undefined)
  return { request, sent: [request.url, ...request.rawHeaders].join('\n'), record: asked.record }
}

const paths: readonly (readonly [path: string, name: string, sets: string])[] = [
  ...CARRIERS.map((name, i) => [`/same${i}/`, name, name] as const),
  ...CARRIERS.map((name, i) => [`/other${i}/`, name, 'X-Goog-Api-Key'] as const),
  ['/unmasked/', 'X-Team-Key', 'X-Llm-Key'],
  ['/meddled/', 'Api-Key', 'Api-Key'],
]

for (const [path, name, sets] of paths) {
  test(`${path} asks callers for ${name}; the LLM API sees the router’s ${sets} alone`, async () => {
    const { request, sent, record } = await upstreamOf(path, name)
    assert.deepEqual(request.header(sets), [REAL])
    assert.equal(sent.split(REAL).length, 2, 'once')
    assert.ok(!sent.includes(CALLERS))
    assert.deepEqual(
      request.header(name).filter((value) => value !== REAL),
      [],
    )
    assert.ok(!record.text.includes(REAL) && !record.text.includes(CALLERS))
  })
}

test('a list of header values is sent as it is configured', async () => {
  const { request } = await upstreamOf('/several/', 'Api-Key')
  assert.deepEqual(request.header('Api-Key'), [REAL, 'b'])
})

for (const [path, name] of [
  ['/pool/', 'X-Team-Key'],
  ['/keyed-pool/', 'Api-Key'],
] as const) {
  test(`after a re-route from ${path} the LLM API sees the answering router’s key alone`, async () => {
    const { request, sent } = await upstreamOf(path, name)
    assert.deepEqual(request.header('Authorization'), [`Bearer ${REAL}`])
    assert.ok(!sent.includes(CALLERS) && !sent.includes('pool-key'))
  })
}

test('a router that sets no masked header passes the caller’s own', async () => {
  const { request } = await upstreamOf('/passing/', 'Api-Key')
  for (const name of CARRIERS) assert.deepEqual(request.header(name), [CALLERS], name)
})

test('a wrong or missing key is 401, and nothing is sent', async () => {
  for (const headers of [{}, { 'Api-Key': REAL }, { 'Api-Key': `${CALLERS}x` }, { 'X-Api-Key': CALLERS }]) {
    const answer = await fetch(`${scene.gateway.url}/same0/`, { method: 'POST', body: '{}', headers: { ...headers } })
    assert.equal(answer.status, 401)
    assert.ok(!(await answer.text()).includes(CALLERS))
  }
  assert.equal(scene.llm.requests.total, 0)
})
