import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { type Scene, startScene } from './fixture/interface-scene.ts'

const SESSION = '/api/v1/session'
const FILES = '/api/v1/files'
const DRAFT = '/api/v1/files/tokencounter_config.json/draft'
const SECRET = 'gui-secret-5c2f81'

type LoggedIn = {
  readonly cookie: string
  readonly token: string
  readonly setCookie: string
  /** The cookie that identifies the browser. */
  readonly browser: string
}

async function logIn(scene: Scene, headers: Readonly<Record<string, string>> = {}): Promise<LoggedIn> {
  const answer = await scene.ask({ method: 'POST', path: SESSION, body: { secret: SECRET, name: 'Ann' }, headers })
  assert.equal(answer.status, 200, answer.text)
  const [setCookie = '', browser = ''] = answer.headers['set-cookie'] ?? []
  return { setCookie, browser, cookie: setCookie.replace(/;.*/, ''), token: answer.json.csrf_token }
}

const tryWrong = (scene: Scene, secret = 'wrong') => scene.ask({ method: 'POST', path: SESSION, body: { secret } })

test('a person with the secret is logged in until the logout; other requests are refused', async () => {
  await using scene = await startScene()
  const nobody = { edition: 'standalone', logged_in: false, login: { possible: true } }
  assert.deepEqual((await scene.ask({ path: SESSION })).json, nobody)
  assert.equal((await scene.ask({ path: FILES })).json.error.code, 'NOT_LOGGED_IN')
  assert.equal((await tryWrong(scene)).json.error.code, 'WRONG_SECRET')
  const { cookie, token, setCookie, browser } = await logIn(scene)
  assert.match(
    browser,
    /^gateway_browser=[\w-]{43}; Max-Age=7776000; Path=\/api\/v1\/session; HttpOnly; SameSite=Strict$/,
  )
  assert.match(setCookie, /^gateway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
  assert.equal((await scene.ask({ path: SESSION, headers: { cookie } })).json.name, 'Ann')
  assert.equal((await scene.ask({ path: FILES, headers: { cookie } })).status, 200)
  const out = await scene.ask({ method: 'DELETE', path: SESSION, headers: { cookie, 'x-csrf-token': token } })
  assert.equal(out.json.logged_in, false)
  assert.equal((await scene.ask({ path: FILES, headers: { cookie } })).status, 401)
})

for (const failed_authentication_limit of [1, 5]) {
  test(`wrong secrets after each lock do not keep the right secret out, with a limit of ${failed_authentication_limit}`, async () => {
    await using scene = await startScene({ guiConfig: { failed_authentication_limit } })
    for (let locks = 0; locks < 10; ) {
      await tryWrong(scene)
      const { login } = (await scene.ask({ path: SESSION })).json
      if (login.possible) continue
      scene.pass(login.retry_after_seconds * 1_000)
      locks += 1
    }
    assert.equal((await tryWrong(scene)).json.error.code, 'WRONG_SECRET')
    await logIn(scene)
  })
}

test('requests that a page sends without a person do not keep the session alive', async () => {
  await using scene = await startScene()
  const { cookie } = await logIn(scene)
  const status = async (headers = {}) => (await scene.ask({ path: FILES, headers: { cookie, ...headers } })).status
  const unattended = { 'x-unattended': '1' }
  scene.pass(50 * 60_000)
  assert.equal(await status(), 200)
  for (let minutes = 0; minutes < 50; minutes += 10) {
    scene.pass(10 * 60_000)
    assert.equal(await status(unattended), 200)
    assert.equal((await scene.ask({ path: SESSION, headers: { cookie, ...unattended } })).json.logged_in, true)
  }
  scene.pass(11 * 60_000)
  assert.equal(await status(unattended), 401)
  assert.equal(await status(), 401)
})

test('a browser with an earlier login has its own rate limit, even if strangers exhaust the common limit', async () => {
  await using scene = await startScene()
  const { browser } = await logIn(scene)
  const headers = { cookie: browser.replace(/;.*/, '') }
  for (let tries = 0; tries < 6; tries += 1) await tryWrong(scene)
  assert.equal((await tryWrong(scene, SECRET)).json.error.code, 'LOCKED')
  assert.deepEqual((await scene.ask({ path: SESSION, headers })).json.login, { possible: true })
  await logIn(scene, headers)
  const wrong = () => scene.ask({ method: 'POST', path: SESSION, headers, body: { secret: 'wrong', name: '' } })
  for (let tries = 0; tries < 5; tries += 1) assert.equal((await wrong()).json.error.code, 'WRONG_SECRET')
  assert.equal((await wrong()).json.error.code, 'LOCKED', 'a known browser has a limit, too')
  const forged = { cookie: `gateway_browser=${'A'.repeat(43)}` }
  assert.equal((await scene.ask({ path: SESSION, headers: forged })).json.login.reason, 'locked')
})

test('brute force: after five wrong secrets no secret is checked, sessions stay valid, and the lock ends and doubles', async () => {
  await using scene = await startScene()
  const { cookie } = await logIn(scene)
  const codes = (answers: readonly { json: { error: { code: string } } }[]) =>
    answers.map(({ json }) => json.error.code)
  const first = await Promise.all(Array.from({ length: 20 }, (_, index) => tryWrong(scene, `wrong ${index}`)))
  assert.deepEqual(codes(first).filter((code) => code === 'WRONG_SECRET').length, 5)
  assert.deepEqual(codes(first).filter((code) => code === 'LOCKED').length, 15)
  const refused = await tryWrong(scene, SECRET)
  assert.equal(refused.status, 429)
  assert.equal(Number(refused.headers['retry-after']), refused.json.error.retry_after_seconds)
  assert.equal((await scene.script('GET', FILES)).json.error.code, 'LOCKED')
  assert.equal((await scene.ask({ path: FILES, headers: { cookie } })).status, 200)
  assert.equal((await scene.ask({ path: SESSION })).json.login.reason, 'locked')
  scene.pass(30_000)
  for (let tries = 0; tries < 5; tries += 1)
    assert.equal((await tryWrong(scene)).json.error.code, 'WRONG_SECRET', 'the lock is over')
  assert.equal((await tryWrong(scene, SECRET)).json.error.code, 'LOCKED')
  scene.pass(30_001)
  assert.equal((await tryWrong(scene, SECRET)).json.error.code, 'LOCKED', 'the second lock lasts twice as long')
  scene.pass(30_000)
  await logIn(scene)
  assert.equal((await tryWrong(scene)).json.error.code, 'WRONG_SECRET', 'a right secret resets the count')
  assert.equal((await tryWrong(scene)).json.error.code, 'WRONG_SECRET')
})

test('wrong bearer secrets count toward the same limit', async () => {
  await using scene = await startScene()
  for (let i = 0; i < 5; i += 1) await scene.ask({ path: FILES, headers: { authorization: `Bearer wrong${i}` } })
  assert.equal((await tryWrong(scene, SECRET)).json.error.code, 'LOCKED')
})

test('a session ends after an idle hour, and after twelve hours in any case', async () => {
  await using scene = await startScene()
  const { cookie } = await logIn(scene)
  const status = async () => (await scene.ask({ path: FILES, headers: { cookie } })).status
  scene.pass(59 * 60_000)
  assert.equal(await status(), 200)
  scene.pass(61 * 60_000)
  assert.equal(await status(), 401)
  const again = await logIn(scene)
  for (let hour = 0; hour < 24; hour += 1) {
    scene.pass(30 * 60_000)
    await scene.ask({ path: FILES, headers: { cookie: again.cookie } })
  }
  assert.equal((await scene.ask({ path: FILES, headers: { cookie: again.cookie } })).status, 401)
})

test('session fixation: a login makes a new session, and the session of its cookie ends', async () => {
  await using scene = await startScene()
  const planted = 'gateway_session=planted-planted-planted-planted-planted-pla'
  const { cookie } = await logIn(scene, { cookie: planted })
  assert.notEqual(cookie, planted)
  assert.equal((await scene.ask({ path: FILES, headers: { cookie: planted } })).status, 401)
  const next = await logIn(scene, { cookie })
  assert.equal((await scene.ask({ path: FILES, headers: { cookie } })).status, 401)
  assert.equal((await scene.ask({ path: FILES, headers: { cookie: next.cookie } })).status, 200)
})

const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['without a token', { 'x-csrf-token': '' }],
  ['with a token of the right length', { 'x-csrf-token': 'x'.repeat(43) }],
  ['of another origin', { origin: 'http://evil.example' }],
  ['of an origin that begins like ours', { origin: 'http://127.0.0.1.evil.example' }],
  ['of a sandboxed page', { origin: 'null' }],
  ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
]
for (const [what, headers] of foreign) {
  test(`CSRF: a change ${what} is refused`, async () => {
    await using scene = await startScene()
    const { cookie, token } = await logIn(scene)
    const asked = { method: 'PUT', path: DRAFT, body: { tag: '', text: '' } }
    const refused = await scene.ask({ ...asked, headers: { cookie, 'x-csrf-token': token, ...headers } })
    assert.equal(refused.json.error.code, 'FOREIGN_REQUEST')
    const own = {
      cookie,
      'x-csrf-token': token,
      origin: `http://127.0.0.1:${scene.port}`,
      'sec-fetch-site': 'same-origin',
      host: `127.0.0.1:${scene.port}`,
    }
    assert.equal((await scene.ask({ ...asked, headers: own })).json.error.code, 'BAD_REQUEST')
  })
}

for (const [host, status] of [
  ['evil.example', 421],
  ['127.0.0.1.evil.example:80', 421],
  ['localhost.evil.example', 421],
  ['user@localhost', 421],
  ['this-machine:8080', 200],
  ['THIS-MACHINE', 200],
  ['gateway.example.org', 200],
  ['localhost', 200],
  ['[::1]:8080', 200],
  ['10.1.2.3', 200],
] as const) {
  test(`DNS rebinding: a request to ${host} is answered with ${status}`, async () => {
    await using scene = await startScene({ guiConfig: { allowed_hosts: ['gateway.example.org'] } })
    assert.equal((await scene.ask({ path: SESSION, headers: { host } })).status, status)
    assert.equal((await scene.ask({ path: '/login', headers: { host } })).status, status)
  })
}

test('with a generated secret nobody can log in, and the session endpoint says why', async () => {
  await using scene = await startScene({ environment: { GENERATED_SECRETS: 'GUI_SECRET' } })
  const { login } = (await scene.ask({ path: SESSION })).json
  assert.equal(login.reason, 'secret_unset')
  assert.match(login.message, /Set GUI_SECRET/)
  assert.equal((await tryWrong(scene, SECRET)).json.error.code, 'LOGIN_IMPOSSIBLE')
  assert.equal((await scene.script('GET', FILES)).json.error.code, 'LOGIN_IMPOSSIBLE')
  await using empty = await startScene({ guiConfig: { secret: '' } })
  assert.equal((await tryWrong(empty, '')).json.error.code, 'LOGIN_IMPOSSIBLE')
})

test('a page has security headers against other sites and foreign code, and its own nonce', async () => {
  await using scene = await startScene()
  const [one, other] = [await scene.ask({ path: '/login' }), await scene.ask({ path: '/routers/echo' })]
  const nonces = [one, other].map(({ headers, text }) => {
    const policy = String(headers['content-security-policy'])
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? []
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.ok(text.includes(`nonce="${nonce}"`))
    return nonce
  })
  assert.notEqual(nonces[0], nonces[1])
  const asset = await scene.ask({ path: '/assets/app-1a2b.js' })
  assert.equal(asset.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(String(asset.headers['cache-control']), /immutable/)
  assert.equal(asset.headers['x-content-type-options'], 'nosniff')
})

for (const path of [
  '/../gui_config.json',
  '/assets/../../gui_config.json',
  '/assets/%2e%2e/%2e%2e/gui_config.json',
  '/assets/..%2f..%2fgui_config.json',
  '/%2e%2e%5cgui_config.json',
  '/assets/app-1a2b.js/../../../gl_config.json',
  '/%00/gui_config.json',
]) {
  test(`path traversal: ${path} reads no file`, async () => {
    await using scene = await startScene()
    const answer = await scene.ask({ path })
    assert.ok(answer.status === 404 || answer.status === 400, `${answer.status} ${answer.text}`)
    assert.ok(!answer.text.includes('gui_port'))
  })
}

test('malformed and oversized requests are refused with our own messages, and the next request is served', async () => {
  await using scene = await startScene()
  const post = (raw: string, headers = {}) => scene.ask({ method: 'POST', path: SESSION, raw, headers })
  assert.equal((await post('{')).json.error.code, 'BAD_REQUEST')
  assert.equal((await post('{"secret":"a"}', { 'content-type': 'text/plain' })).json.error.code, 'BAD_REQUEST')
  assert.equal((await post('[]')).json.error.code, 'BAD_REQUEST')
  assert.equal((await post('{"secret":1}')).json.error.code, 'BAD_REQUEST')
  assert.equal((await post('{"secret":"a","__proto__":{"x":1}}')).json.error.code, 'BAD_REQUEST')
  assert.equal((await post('{"secret":"a","constructor":{"prototype":{"x":1}}}')).json.error.code, 'BAD_REQUEST')
  assert.equal((await post(`{"secret":"${'a'.repeat(20_000)}"}`)).json.error.code, 'BODY_TOO_LARGE')
  assert.equal((await post('['.repeat(10_000))).json.error.code, 'BAD_REQUEST')
  const unasked = await scene.ask({ method: 'PUT', path: DRAFT, raw: `{"text":"${'a'.repeat(100_000)}"}` })
  assert.equal(unasked.json.error.code, 'NOT_LOGGED_IN')
  const socket = connect(scene.port, '127.0.0.1')
  socket.end('GET /login HTTP/7\r\nnonsense\r\n\r\n')
  const [bytes] = await once(socket, 'data')
  assert.match(String(bytes), /^HTTP\/1\.1 400/)
  assert.equal((await scene.ask({ path: `/api/v1/files/${'x'.repeat(300)}` })).json.error.code, 'BAD_REQUEST')
  assert.equal((await scene.ask({ path: '/api/v1/nothing' })).json.error.code, 'NOT_FOUND')
  assert.equal((await scene.ask({ path: '/api/v1/files/%ff' })).json.error.code, 'BAD_REQUEST')
  await logIn(scene)
})

test('sessions end when the secret changes, and a login needs the new secret', async () => {
  const secretsDir = await mkdtemp(join(tmpdir(), 'gui-secrets-'))
  await writeFile(join(secretsDir, 'PAGE_SECRET'), `${SECRET}\n`)
  await using scene = await startScene({
    environment: { SECRETS_DIR: secretsDir },
    guiConfig: { secret: '${PAGE_SECRET}' },
  })
  const { cookie } = await logIn(scene)
  await writeFile(join(secretsDir, 'PAGE_SECRET'), 'another secret\n')
  const deadline = Date.now() + 60_000
  while ((await scene.ask({ path: FILES, headers: { cookie } })).status === 200) {
    assert.ok(Date.now() < deadline, 'the session goes on')
    await delay(100)
  }
  assert.equal((await tryWrong(scene, SECRET)).json.error.code, 'WRONG_SECRET')
  assert.equal((await tryWrong(scene, 'another secret')).status, 200)
  await rm(secretsDir, { recursive: true })
})

test('with tls.ingress the page is served over TLS only, and its cookie is Secure', async () => {
  await using authority = await createAuthority()
  const { certificateFile, privateKeyFile } = await authority.issue('page')
  const ingress = { enabled: true, certificate_file: certificateFile, private_key_file: privateKeyFile }
  await using scene = await startScene({ guiConfig: { tls: { ingress } } })
  const body = JSON.stringify({ secret: SECRET })
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  const options = {
    host: '127.0.0.1',
    port: scene.port,
    path: SESSION,
    method: 'POST',
    rejectUnauthorized: false,
    agent: false,
  }
  const sent = request({ ...options, headers: { 'content-type': 'application/json' } }, (answer) => {
    answer.resume().on('end', () => resolve(answer.headers))
  })
  sent.on('error', reject)
  sent.end(body)
  const headers = await promise
  assert.match(String(headers['set-cookie']), /; Secure/)
  assert.match(String(headers['strict-transport-security']), /max-age/)
  await assert.rejects(scene.ask({ path: '/login' }))
})

test('a foreign request is refused however the address is escaped', async () => {
  await using scene = await startScene()
  for (const path of ['/%61pi/v1/session', '/api%2Fv1/session', '/api/v1/%73ession', '/api/v1/openapi.json'])
    for (const header of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await scene.ask({ method: 'GET', path, headers: header })
      assert.ok(answer.status === 403 || !answer.text.includes('logged_in'), `${path} ${answer.text}`)
    }
})

test('the event stream of a session ends with the session', async () => {
  await using scene = await startScene()
  const { cookie } = await logIn(scene)
  const socket = connect(scene.port, '127.0.0.1')
  socket.write(`GET /api/v1/transactions/live HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  while (!text.includes(': events')) await delay(20)
  scene.pass(12 * 60 * 60_000 + 1)
  const deadline = Date.now() + 60_000
  while (!text.includes('logged_out')) {
    assert.ok(Date.now() < deadline, text)
    await delay(100)
  }
  socket.destroy()
})
