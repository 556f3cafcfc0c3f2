import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#paths

let scene: Scene

before(async () => {
  scene = await startScene({
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/llm/deep/', outbound: { url: `${url}/deep` } },
      { path: '/', outbound: { url: `${url}/all` } },
      { path: '/llm/internal/', outbound: { url }, internal: true },
      { path: '/llm/disabled/', disabled: true },
      { path: '/llm/rejected/', outbound: { url: '${UNSET}' } },
    ],
  })
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
})
after(() => scene.close())
beforeEach(() => scene.llm.requests.clear())

/** Returns the URL at the LLM API, or the answer's status and code if the call did not get there. */
async function outcome(target: string): Promise<string> {
  const answer = await askRaw(scene.gateway.port, target)
  assert.match(answer.headers.get('session-id') ?? '', /^GATEWAY1_\d+_\d+_0$/)
  if (answer.status !== 200) return `${answer.status} ${JSON.parse(answer.body).error.code}`
  const [seen] = scene.llm.requests.entries
  assert.deepEqual(seen?.header('host'), [`127.0.0.1:${scene.llm.port}`])
  return seen?.url ?? 'nothing'
}

const accepted: readonly (readonly [rule: string, target: string, url: string])[] = [
  ['an empty remainder adds nothing', '/llm/', '/'],
  ['the remainder is the path', '/llm/v1/chat/completions', '/v1/chat/completions'],
  ['one slash between prefix and remainder', '/llm//x', '/x'],
  ['no merging of slashes elsewhere', '/llm/x//y///z//', '/x//y///z//'],
  ['no merging of slashes before the match', '//llm/x', '/all/llm/x'],
  ['the longest prefix wins', '/llm/deep/x', '/deep/x'],
  ['a prefix ends at a slash', '/llm/deeper', '/deeper'],
  ['case-sensitive', '/LLM/x', '/all/LLM/x'],
  ['matched on raw bytes: an encoded letter is another path', '/ll%6D/x', '/all/ll%6D/x'],
  ['matched on raw bytes: an encoded slash is no slash', '/llm%2Fx', '/all/llm%2Fx'],
  ['/ catches the rest', '/', '/all'],
  ['encoded slashes stay', '/llm/a%2Fb%2fc', '/a%2Fb%2fc'],
  ['encoded backslashes stay', '/llm/a%5Cb', '/a%5Cb'],
  ['backslashes stay', '/llm/a\\b', '/a\\b'],
  ['decoded once only', '/llm/%252e%252e/x', '/%252e%252e/x'],
  ['dots that are no dot segment', '/llm/.a/..b/c../d..e/.../%2e%2e%2e', '/.a/..b/c../d..e/.../%2e%2e%2e'],
  ['escapes that are no UTF-8', '/llm/%ff%C0%AF', '/%ff%C0%AF'],
  ['other characters stay', "/llm/a;b=c,d@e:f!$&'()*+~|{}^`[]", "/a;b=c,d@e:f!$&'()*+~|{}^`[]"],
  ['absolute form: the authority is ignored', 'http://other.example/llm/x', '/x'],
  ['absolute form: the port is ignored, and the query is kept', 'HTTPS://other.example:99/llm/x?q=/../', '/x?q=/../'],
  ['absolute form: user-info is ignored', 'http://a:b@other.example/llm/x', '/x'],
  ['absolute form without a path', 'http://other.example', '/all'],
  ['absolute form without a path, with a query', 'http://other.example?q=1', '/all?q=1'],
  ['a url in a path is a path', '/llm/http://other.example/x', '/http://other.example/x'],
  ['no user-info by a path', '/llm/@other.example', '/@other.example'],
  ['no port by a path', '/llm/:99/', '/:99/'],
]

for (const [rule, target, url] of accepted) {
  test(`${rule}: ${target}`, async () => assert.equal(await outcome(target), url))
}

const refused: readonly string[] = [
  ...['.', '..', './x', '../x', 'a/.', 'a/..', 'a/../b', 'a/./b', '/../x'],
  ...['%2e', '%2E%2e', '.%2e/x', '%2e./x', 'a/%2e%2e/b'],
  ...['..%2fx', '%2e%2e%2fx', 'a%2F..%2Fb', 'a%2f.', '..%5cx', 'a%5C..%5Cb', '..\\x', 'a\\..\\b', 'a\\.', '.%5c'],
  ...['%00', 'a%00b', 'a%0d', 'a%0Ab', '%0d%0aX-Injected:%201'],
  ...['%', '%2', '%zz', '%2x', '%u002e', 'a%%2e', '%%%', 'a#b', '#'],
].map((remainder) => `/llm/${remainder}`)

for (const target of [...refused, '/../llm/x', '/nowhere/%2e%2e/llm/x', 'http://a.example/%2e%2e/llm/x']) {
  test(`400 BAD_PATH for ${target}`, async () => {
    assert.equal(await outcome(target), '400 BAD_PATH')
    assert.equal(scene.llm.requests.total, 0)
  })
}

const WITHOUT_ROUTER = ['/echo', '/llm', '/llm/deep', '/llm/deep?q=1', 'http://a.example/llm']
const held = ['internal', 'disabled', 'rejected'].flatMap((name) => [
  ...[`/llm/${name}/`, `/llm/${name}/x`, `/llm/${name}/x/y?q=1`],
])

for (const target of [...WITHOUT_ROUTER, ...held, '*']) {
  test(`404, even if a shorter router would match: ${target}`, async () => {
    const method = target === '*' ? 'OPTIONS' : 'GET'
    const answer = await askRaw(scene.gateway.port, target, { method })
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [404, 'ROUTER_NOT_FOUND'])
    assert.equal(/last slash/.test(answer.body), WITHOUT_ROUTER.includes(target), answer.body)
    assert.equal(scene.llm.requests.total, 0)
  })
}

for (const piece of ['/', 'a/', '%2F', '%5C', '.a/', '\\a']) {
  test(`a path with 60 KB of ${piece} passes unchanged`, async () => {
    const path = `x${piece.repeat(60_000 / piece.length)}`
    assert.equal(await outcome(`/llm/${path}`), `/${path}`)
  })
}

test('a dot segment at the end of a path of 60 KB is found', async () => {
  assert.equal(await outcome(`/llm/${'a/'.repeat(30_000)}..`), '400 BAD_PATH')
  assert.equal(await outcome(`/llm/${'%2f'.repeat(20_000)}..`), '400 BAD_PATH')
})
