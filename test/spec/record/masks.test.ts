// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/record.md#masks, docs/reference/sessions.md#header

const MASKED = '[*****MASKED*****]'
const DEFAULT_HEADERS = ['Api-Key', 'Authorization', 'X-Api-Key', 'X-Goog-Api-Key', 'X-Amz-Security-Token', 'Cookie']
const DEFAULT_PARAMETERS = ['key', 'api-key', 'api_key', 'apikey', 'subscription-key', 'token', 'access_token', 'sig']

const seen = { input_fields_include: [], input_fields_exclude: [] }
const QUERY = 'outbound_query_parameters'
const ANSWER_HEADERS = 'egress_headers'
const writeBack = ({ text }: { readonly text: string }) => ({ [QUERY]: JSON.parse(text)[QUERY] })
const writeHeadersBack = ({ text }: { readonly text: string }) => ({
  [ANSWER_HEADERS]: { ...JSON.parse(text)[ANSWER_HEADERS], 'X-Added': ['1'] },
})
let scene: PipelineScene
let bare: PipelineScene

before(async () => {
  const rows = {
    request: [[{ name: 'seen', ...seen }]],
    response: [[{ name: 'seen', ...seen }]],
  }
  const referenced = {
    url: 'http://user:${PASSWORD}@$LLM_HOST/base?v=${VERSION}&plain=1',
    endpoint: 'x?deployment=${DEPLOYMENT}',
    headers: { 'X-Router': ['Bearer ${KEY}'], 'X-Plain': ['plain-value'] },
  }
  const cases = [
    { path: '/default/', ...rows },
    {
      path: '/referenced/',
      router: { ingress: { headers: { 'X-Team': ['${TEAM}'] } }, outbound: referenced },
      ...rows,
    },
    ...['?w=${VERSION}&${NAME}', '?w=${VERSION}&x${NAME}y=1', '?w=${VERSION}&${NAME}=${KEY}', '?w=${BROKEN}'].map(
      (query, i) => ({
        path: ['/named/', '/joined/', '/added/', '/broken/'][i] ?? '',
        router: { outbound: { url: `http://$LLM_HOST/${query}` } },
        ...rows,
      }),
    ),
    {
      path: '/redirected/',
      router: { outbound: { url: 'http://$LLM_HOST/v1/x-${KEY}/?w=${VERSION}&plain=1&odd=${ODD}&k=${LONG}' } },
      ...rows,
    },
    {
      path: '/written/',
      router: { outbound: { url: 'http://$LLM_HOST/?w=${VERSION}&${NAME}&plain=1' } },
      request: [[{ name: 'back', ...seen, modifier: true, output_fields_write: [QUERY], reply: writeBack }]],
    },
    { path: '/literal/', router: { outbound: { url: 'http://$LLM_HOST/?w=plain-version' } } },
    {
      path: '/answered/',
      response: [
        [{ name: 'back', ...seen, modifier: true, output_fields_write: [ANSWER_HEADERS], reply: writeHeadersBack }],
      ],
    },
  ]
  const env = {
    PASSWORD: 'pass-1',
    VERSION: 'version-1',
    DEPLOYMENT: 'deployment-1',
    KEY: 'key-1',
    TEAM: 'team-1',
    NAME: 'Name-1',
    ODD: 'a+long/secret%3D=',
    LONG: 'long-secret-1',
    BROKEN: '1&%41name-1%zz=2',
  }
  scene = await startPipelineScene(cases, { env })
  bare = await startPipelineScene(cases, { env, config: { masked_headers: [], masked_query_parameters: [] } })
})
after(async () => {
  await scene.close()
  await bare.close()
})
beforeEach(() => {
  scene.calls.clear()
  scene.llm.requests.clear()
})

/** Returns the record of a call and the messages of its rows. */
function recordAndMessages(asked: Awaited<ReturnType<PipelineScene['ask']>>): readonly string[] {
  return [asked.record.text, ...asked.calls.map(({ text }) => text)]
}

for (const name of DEFAULT_HEADERS) {
  test(`the header ${name} is masked by default, in any case of its name, in both directions`, async () => {
    scene.llm.respond(() => jsonAnswer({}, { headers: [[name.toUpperCase(), 'of-the-llm']] }))
    const asked = await scene.ask('/default/', { headers: { [name.toLowerCase()]: 'of-the-caller' } })
    assert.equal(scene.llm.requests.entries[0]?.header(name)[0], 'of-the-caller', 'the header reaches the LLM API')
    assert.equal(asked.answer.headers.get(name), 'of-the-llm')
    for (const text of recordAndMessages(asked)) assert.ok(!/of-the-(llm|caller)/.test(text))
    for (const map of ['request.ingress', 'request.outbound', 'response.inbound', 'response.egress']) {
      assert.deepEqual(asked.record.field(`${map}_headers.${name}`), [MASKED], map)
    }
  })
}

for (const name of DEFAULT_PARAMETERS) {
  test(`the query parameter ${name} is masked by default, in any case and encoding of its name`, async () => {
    const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`
    const query = `a=1&${name.toUpperCase()}=secret-1&${encoded}=secret-2&${name}=secret-3&${name}&b=`
    const asked = await scene.ask(`/default/x?${query}`)
    assert.equal(scene.llm.requests.entries[0]?.url, `/x?${query}`, 'the parameter reaches the LLM API')
    for (const text of recordAndMessages(asked)) assert.ok(!text.includes('secret-'))
    assert.deepEqual(asked.record.field('request.ingress_query_parameters'), [
      { name: 'a', details: ['1'] },
      { name: name.toUpperCase(), details: [MASKED] },
      { name, details: [MASKED] },
      { name: 'b', details: [''] },
    ])
  })
}

test('headers and parameters of a router with a reference are masked, others are shown', async () => {
  for (const one of [scene, bare]) {
    const headers = { 'X-Team': 'team-1', 'X-Router': 'of-the-caller' }
    const asked = await one.ask('/referenced/?deployment=of-the-caller&plain=2', { headers })
    const [request] = one.llm.requests.entries
    assert.equal(request?.url, '/base/x?v=version-1&plain=1&deployment=deployment-1')
    assert.equal(request?.header('X-Router')[0], 'Bearer key-1')
    assert.equal(request?.header('Authorization')[0], `Basic ${Buffer.from('user:pass-1').toString('base64')}`)
    for (const text of recordAndMessages(asked)) {
      assert.ok(!/(pass|version|deployment|key|team)-1|of-the-caller|user:|Basic /.test(text), text)
    }
    const field = (path: string) => asked.record.field(`request.${path}`)
    assert.equal(field('url'), `${one.llm.url}/base/x?v=${MASKED}&plain=1&deployment=${MASKED}`)
    assert.deepEqual(field('outbound_query_parameters'), { v: [MASKED], plain: ['1'], deployment: [MASKED] })
    assert.deepEqual(field('outbound_query_parameters_overwritten'), { deployment: [MASKED], plain: ['2'] })
    const names = ['ingress_headers.X-Team', 'ingress_headers.X-Router', 'outbound_headers.X-Router']
    for (const name of [...names, 'outbound_headers.Authorization']) assert.deepEqual(field(name), [MASKED], name)
    assert.deepEqual(field('outbound_headers.X-Plain'), ['plain-value'])
  }
})

for (const path of ['/named/', '/joined/', '/added/', '/broken/']) {
  test(`the name of a parameter that a reference fills is masked on ${path}, as its value is`, async () => {
    for (const one of [scene, bare]) {
      const asked = await one.ask(path)
      assert.match(String(one.llm.requests.entries.at(-1)?.url), /name-1/i, 'the name reaches the LLM API')
      for (const text of recordAndMessages(asked)) assert.doesNotMatch(text, /name-1/i)
      const field = (name: string) => asked.record.field(`request.${name}`)
      assert.deepEqual(field('outbound_query_parameters'), { w: [MASKED], [MASKED]: [MASKED] })
      assert.match(String(field('url')), /\?(w=\[\*+MASKED\*+\]&?|&?\[\*+MASKED\*+\]=\[\*+MASKED\*+\]){2}$/)
    }
  })
}

test('a caller’s parameter that has the name from another router’s reference shows neither name nor value', async () => {
  const asked = await scene.ask('/default/?NAME-1=value-1&b=2')
  for (const text of recordAndMessages(asked)) assert.doesNotMatch(text, /name-1|value-1/i)
  assert.deepEqual(asked.record.field('request.outbound_query_parameters'), { [MASKED]: [MASKED], b: ['2'] })
})

const NESTED = encodeURIComponent('https://llm.example/?k=long-secret-1')
const REDIRECTS = [
  ['/v1/x-key-1/chat/?w=version-1&plain=1#part', `/v1/${MASKED}/chat/?w=${MASKED}&plain=1#part`],
  ['https://llm.example/?other=version%2D1&w=2', `https://llm.example/?other=${MASKED}&w=2`],
  ['/?odd=a+long/secret%3D=&b', `/?odd=${MASKED}&b`],
  ['/?odd=a%20long%2Fsecret%253D%3D&b', `/?odd=${MASKED}&b`],
  [`/login?next=${NESTED}`, `/login?next=${MASKED}`],
  [`/login?next=${encodeURIComponent(`/?next=${NESTED}`)}`, `/login?next=${MASKED}`],
] as const

for (const [address, masked] of REDIRECTS)
  test(`a redirect to ${address} gives the router’s secrets to nobody`, async () => {
    for (const one of [scene, bare]) {
      one.llm.respond(() =>
        jsonAnswer(
          {},
          {
            headers: [
              ['Location', address],
              ['Content-Location', address],
            ],
          },
        ),
      )
      const asked = await one.ask('/redirected/chat')
      assert.match(String(one.llm.requests.entries.at(-1)?.url), /x-key-1.*version-1/, 'the secrets reach the LLM API')
      for (const name of ['Location', 'Content-Location']) {
        assert.equal(asked.answer.headers.get(name), masked)
        for (const map of ['inbound', 'egress'])
          assert.match(String(asked.record.field(`response.${map}_headers.${name}`)), /MASKED/)
      }
      for (const text of recordAndMessages(asked)) assert.doesNotMatch(text, /key-1|version(-|%2D)1|secret/)
    }
  })

for (const [name, before, after] of [
  ['Operation-Location', '', ''],
  ['Link', '<', '>; rel="next"'],
  ['Refresh', '0; url=', ''],
] as const)
  test(`an address in ${name} gives the router’s secrets to nobody`, async () => {
    for (const [address, masked] of REDIRECTS) {
      scene.llm.respond(() => jsonAnswer({}, { headers: [[name, `${before}${address}${after}`]] }))
      const asked = await scene.ask('/redirected/chat')
      const value = asked.answer.headers.get(name)
      assert.ok(value === `${before}${masked}${after}` || value === MASKED, `${address}: ${value}`)
      for (const text of recordAndMessages(asked)) assert.doesNotMatch(text, /key-1|version(-|%2D)1|secret/)
    }
    const plain = `${before}https://store.example/file?sig=of-the-llm${after}`
    scene.llm.respond(() => jsonAnswer({}, { headers: [[name, plain]] }))
    for (const path of ['/redirected/chat', '/default/']) {
      assert.equal((await scene.ask(path)).answer.headers.get(name), plain)
    }
  })

test('a redirect with a masked parameter that is no secret of the router reaches the caller as it is', async () => {
  const address = 'https://store.example/file?sig=of-the-llm&plain=1'
  scene.llm.respond(() => jsonAnswer({}, { headers: [['Location', address]] }))
  const asked = await scene.ask('/redirected/chat')
  assert.equal(asked.answer.headers.get('Location'), address)
  const shown = `https://store.example/file?sig=${MASKED}&plain=1`
  assert.deepEqual(asked.record.field('response.egress_headers.Location'), [shown])
  for (const text of recordAndMessages(asked)) assert.ok(!text.includes('of-the-llm'))
})

test('a redirect to an address of more than 8 KiB shows nothing of it', async () => {
  const address = `/?${'a=1&'.repeat(3_000)}`
  scene.llm.respond(() => jsonAnswer({}, { headers: [['Location', address]] }))
  const [secret, plain] = [await scene.ask('/redirected/chat'), await scene.ask('/default/')]
  assert.equal(secret.answer.headers.get('Location'), MASKED)
  assert.equal(plain.answer.headers.get('Location'), address)
  for (const { record } of [secret, plain])
    assert.deepEqual(record.field('response.inbound_headers.Location'), [MASKED])
})

for (const address of [
  'https://u:pass-1@llm.example/file?sig=of-the-llm&plain=1',
  'https://llm.example/#access_token=of-the-llm&plain=1',
  `/?sig=of-the-llm&${'a=1&'.repeat(3_000)}`,
])
  test(`a processor that writes back the address ${address.slice(0, 40)} as it saw it changes nothing`, async () => {
    scene.llm.respond(() => jsonAnswer({}, { headers: [['Location', address]] }))
    const asked = await scene.ask('/answered/')
    assert.equal(asked.answer.headers.get('X-Added'), '1')
    assert.equal(asked.answer.headers.get('Location'), address)
    for (const text of recordAndMessages(asked)) assert.doesNotMatch(text, /pass-1|of-the-llm/)
  })

test('a parameter that another router fills from a reference is no secret of this router', async () => {
  const address = '/plain-version/chat?w=plain-version'
  scene.llm.respond(() => jsonAnswer({}, { headers: [['Location', address]] }))
  const asked = await scene.ask('/literal/')
  assert.equal(asked.answer.headers.get('Location'), address)
  assert.deepEqual(asked.record.field('response.egress_headers.Location'), [`/plain-version/chat?w=${MASKED}`])
})

test('an address in an answer without masked parts stays as it is', async () => {
  const address = '/default/a?&b=%zz&&c=1#d?e'
  scene.llm.respond(() => jsonAnswer({}, { headers: [['Location', address]] }))
  const asked = await scene.ask('/default/')
  assert.equal(asked.answer.headers.get('Location'), address)
})

test('a processor that writes back the parameters that it saw changes none of them', async () => {
  const asked = await scene.ask('/written/')
  assert.equal(scene.llm.requests.entries.at(-1)?.url, '/?w=version-1&Name-1&plain=1')
  const shown = { w: [MASKED], [MASKED]: [MASKED], plain: ['1'] }
  assert.deepEqual(asked.record.field('request.outbound_query_parameters'), shown)
})

test('a header with a reference on one router is masked on every router', async () => {
  const asked = await bare.ask('/default/?Deployment=deployment-1', {
    headers: { 'x-team': 'team-1', Authorization: 'a-1' },
  })
  for (const text of recordAndMessages(asked)) assert.ok(!/deployment-1|team-1|a-1/.test(text))
  assert.deepEqual(asked.record.field('request.ingress_headers.X-Team'), [MASKED])
  assert.match(String(asked.record.field('request.url')), /\?Deployment=\[\*+MASKED\*+\]$/)
})

test('empty lists mask nothing but references', async () => {
  const asked = await bare.ask('/default/?key=shown-1', { headers: { 'Api-Key': 'shown-2' } })
  assert.deepEqual(asked.record.field('request.ingress_headers.Api-Key'), ['shown-2'])
  assert.match(String(asked.record.field('request.url')), /\?key=shown-1$/)
})

test('processors never see the session header, in neither direction; the record shows it', async () => {
  scene.llm.respond(() => jsonAnswer({}, { headers: [['SESSION-ID', 'LLM_7_7_7']] }))
  const asked = await scene.ask('/default/', { headers: { 'session-id': 'CALLER_8_8_8' } })
  for (const { text } of asked.calls) assert.ok(!/LLM_7_7|CALLER_8_8/.test(text))
  assert.equal(asked.calls.length, 2)
  assert.deepEqual(asked.record.field('request.ingress_headers.Session-Id'), ['CALLER_8_8_8'])
  assert.deepEqual(asked.record.field('request.outbound_headers_discarded.Session-Id'), ['CALLER_8_8_8'])
  assert.deepEqual(asked.record.field('response.inbound_headers.Session-Id'), ['LLM_7_7_7'])
  assert.deepEqual(asked.record.field('response.egress_headers.Session-Id'), ['CALLER_8_8_9'])
})
