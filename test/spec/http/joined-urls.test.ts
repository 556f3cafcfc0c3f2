import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#paths, docs/reference/record.md#request

type UrlCase = readonly [url: string, endpoint: string | undefined, remainder: string, expected: string]

/** The end of the router's url, the endpoint, the caller's rest of the path, and the path at the LLM API. */
const joins: readonly UrlCase[] = [
  ['', undefined, '', '/'],
  ['', '', 'x', '/x'],
  ['/', '', '', '/'],
  ['/', '', 'x', '/x'],
  ['/base', '', '', '/base'],
  ['/base', '', 'x', '/base/x'],
  ['/base', '', '/x', '/base/x'],
  ['/base/', '', '', '/base/'],
  ['/base/', '', 'x', '/base/x'],
  ['/base/', '', '/x', '/base/x'],
  ['/base//', '', 'x//y', '/base//x//y'],
  ['/a%2Fb', '', 'c%2Fd', '/a%2Fb/c%2Fd'],
  ['/base', 'ep/x', '', '/base/ep/x'],
  ['/base/', '/ep/x', '', '/base/ep/x'],
  ['/base', 'ep', 'never', '/base/ep'],
  ['/base', 'ep/', '', '/base/ep/'],
  ['', 'ep', '', '/ep'],
  ['/base', '?q=1', '', '/base?q=1'],
  ['/base?q=1', '', 'x', '/base/x?q=1'],
  ['?q=1', '', 'x', '/x?q=1'],
]

const OVERLAID = '/overlaid/'
const PLAIN = '/plain/'
let scene: Scene

before(async () => {
  scene = await startScene({
    routers: (url) => [
      ...joins.map(([path, endpoint], index) => ({
        path: `/${index}/`,
        outbound: { url: url + path, ...(endpoint === undefined ? {} : { endpoint }) },
      })),
      { path: PLAIN, outbound: { url } },
      { path: OVERLAID, outbound: { url: `${url}?u=url&both=url`, endpoint: 'ep?both=endpoint&e=endpoint&e=again' } },
    ],
  })
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
})
after(() => scene.close())
beforeEach(() => scene.llm.requests.clear())

async function urlOf(target: string): Promise<string | undefined> {
  assert.equal((await askRaw(scene.gateway.port, target)).status, 200)
  return scene.llm.requests.entries[0]?.url
}

for (const [index, [url, endpoint, remainder, expected]] of joins.entries()) {
  test(`url "${url}", endpoint "${endpoint}" and remainder "${remainder}" make ${expected}`, async () => {
    assert.equal(await urlOf(`/${index}/${remainder}`), expected)
  })
}

const queries: readonly string[] = [
  ...['api-version=2024-10-21', 'a=1&a=2&a=1', 'b=2&a=1', 'a', 'a=', '=a', 'a==b', 'a=b=c', 'a;b', '&a&&b=1&&'],
  ...['a=%20+%2B', 'a=%2f%2F', '%61=1', 'a=%zz', '%=%', 'a=%C3%28', 'a=%00%0d%0a', 'a=%26b%3D1', 'a=?b?c', 'a=/../'],
  ...[`a="<>|{}^\``, "a=!$'()*,:@~", 'a=#b', '__proto__=1&constructor=2&toString=3', 'key=caller&sig=x%2By'],
]

for (const query of queries) {
  test(`a query that the router does not override is sent on unchanged: ${query}`, async () => {
    assert.equal(await urlOf(`${PLAIN}x?${query}`), `/x?${query}`)
  })
}

const overlays: readonly (readonly [query: string, expected: string])[] = [
  ['', 'u=url&both=endpoint&e=endpoint&e=again'],
  ['c=1&c=%32', 'c=1&c=%32&u=url&both=endpoint&e=endpoint&e=again'],
  ['u=caller&both=caller&e=caller&u=again', 'u=url&both=endpoint&e=endpoint&e=again'],
  ['%75=caller&bot%68&E=1', 'E=1&u=url&both=endpoint&e=endpoint&e=again'],
]

for (const [query, expected] of overlays) {
  test(`of equally named query parameters endpoint wins over url, url over the caller: "${query}"`, async () => {
    assert.equal(await urlOf(`${OVERLAID}?${query}`), `/ep?${expected}`)
  })
}

test('the record lists parameters that the router overrides as overwritten, and parameters that leave as outbound', async () => {
  const answer = await askRaw(scene.gateway.port, `${OVERLAID}?u=caller&c=1&__proto__=x`)
  const record = await scene.recordOf(answer)
  assert.deepEqual(record.field('request.outbound_query_parameters_overwritten'), { u: ['caller'] })
  const left = JSON.stringify(record.field('request.outbound_query_parameters'))
  assert.equal(left, '{"c":["1"],"__proto__":["x"],"u":["url"],"both":["endpoint"],"e":["endpoint","again"]}')
  assert.deepEqual(record.field('request.ingress_query_parameters'), [
    { name: 'u', details: ['caller'] },
    { name: 'c', details: ['1'] },
    { name: '__proto__', details: ['x'] },
  ])
})
