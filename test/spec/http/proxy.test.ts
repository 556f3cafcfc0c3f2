import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Authority, createAuthority } from '../../fake/certificates.ts'
import { type ConnectProxy, startConnectProxy } from '../../fake/connect-proxy.ts'
import { startGateway } from '../../fake/gateway.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

let nats: NatsServer
let authority: Authority
let secure: Llm
let plain: Llm
let proxy: ConnectProxy

before(async () => {
  nats = await startNatsServer()
  authority = await createAuthority()
  secure = await startLlm({ tls: await authority.issue('llm') })
  plain = await startLlm()
  proxy = await startConnectProxy()
})
after(() => Promise.all([nats.close(), authority.close(), secure.close(), plain.close(), proxy.close()]))
beforeEach(() => {
  proxy.answer(200)
  for (const journal of [proxy.requests, secure.requests, plain.requests]) journal.clear()
})

type Settings = Readonly<Record<string, unknown>>

/** Calls through a new gateway. Returns the caller's answer and the requests at the proxy. */
async function call(url: string, env: Readonly<Record<string, string>>, config: Settings = {}) {
  const headers = { 'X-Several': ['one', 'two'] }
  const routers = [{ path: '/llm/', outbound: { url, headers } }]
  const tls = { outbound: { system_cert_pool: false, cert_files: [authority.certificateFile] } }
  await using gateway = await startGateway({ nats, env, config: { routers, tls, ...config } })
  const answer = await fetch(`${gateway.url}/llm/chat/completions`, { method: 'POST', body: '{}' })
  await answer.arrayBuffer()
  return {
    status: answer.status,
    error: answer.headers.get('gateway-error'),
    lines: proxy.requests.entries.map(({ line }) => line),
  }
}

const https = () => `https://localhost:${secure.port}`
const http = () => `http://localhost:${plain.port}`

test('HTTPS_PROXY: the proxy gets https targets by name, and their certificates are verified end to end', async () => {
  const got = await call(https(), { HTTPS_PROXY: proxy.url })
  assert.deepEqual(got, { status: 200, error: null, lines: [`CONNECT localhost:${secure.port}`] })
  assert.deepEqual(secure.requests.entries[0]?.header('host'), [`localhost:${secure.port}`])
  assert.deepEqual(secure.requests.entries[0]?.header('x-several'), ['one', 'two'])
})

test('HTTPS_PROXY: tls.outbound holds for targets behind the proxy', async () => {
  const tls = { outbound: { system_cert_pool: true, cert_files: [] } }
  assert.equal((await call(https(), { HTTPS_PROXY: proxy.url }, { tls })).error, 'UPSTREAM_TLS')
  const insecure = { outbound: { ...tls.outbound, insecure: true } }
  assert.equal((await call(https(), { HTTPS_PROXY: proxy.url }, { tls: insecure })).status, 200)
})

test("HTTPS_PROXY: the proxy's user-info reaches only the proxy", async () => {
  const withUser = proxy.url.replace('//', '//user:pass%20word@')
  assert.equal((await call(https(), { HTTPS_PROXY: withUser })).status, 200)
  const expected = `Basic ${Buffer.from('user:pass word').toString('base64')}`
  assert.equal(proxy.requests.entries[0]?.headers['proxy-authorization'], expected)
  assert.deepEqual(secure.requests.entries[0]?.header('proxy-authorization'), [])
})

test('HTTPS_PROXY: http targets go directly; http_proxy gets them as absolute addresses', async () => {
  assert.deepEqual((await call(http(), { HTTPS_PROXY: proxy.url })).lines, [])
  const got = await call(http(), { http_proxy: proxy.url.replace('//', '//user:word@') })
  assert.deepEqual([got.status, got.lines], [200, [`POST ${http()}/chat/completions`]])
  assert.equal(proxy.requests.entries[0]?.headers['proxy-authorization'], `Basic ${btoa('user:word')}`)
  assert.equal(proxy.requests.entries[0]?.headers.host, `localhost:${plain.port}`)
})

test("a broken escape in the proxy's user-info is sent as it is", async () => {
  const withUser = proxy.url.replace('//', '//user%zz:word@')
  for (const [llm, variables] of [
    [https(), { HTTPS_PROXY: withUser }],
    [http(), { http_proxy: withUser }],
  ] as const) {
    assert.equal((await call(llm, variables)).status, 200)
    assert.equal(proxy.requests.entries[0]?.headers['proxy-authorization'], `Basic ${btoa('user%zz:word')}`)
  }
})

test('NO_PROXY: excepted targets are called directly', async () => {
  const got = await call(https(), { HTTPS_PROXY: proxy.url, NO_PROXY: 'other.example,localhost' })
  assert.deepEqual([got.status, got.lines], [200, []])
})

test('a proxy that refuses, breaks off, hangs or is away is an upstream error', async () => {
  const env = { HTTPS_PROXY: proxy.url }
  for (const status of [403, 407, 502]) {
    proxy.answer(status)
    assert.equal((await call(https(), env)).error, 'UPSTREAM_REFUSED')
  }
  proxy.answer(undefined)
  const limits = { limits: { outbound_connect_timeout_ms: 200 } }
  assert.equal((await call(https(), env, limits)).error, 'UPSTREAM_TIMEOUT')
  assert.equal((await call(https(), { HTTPS_PROXY: 'http://127.0.0.1:1' })).error, 'UPSTREAM_REFUSED')
})

test('outbound_deny: the proxy gets the address that the gateway checked', async () => {
  const outbound_deny = ['10.0.0.0/8']
  const tunnelled = await call(https(), { HTTPS_PROXY: proxy.url }, { outbound_deny })
  assert.equal(tunnelled.status, 200)
  assert.match(tunnelled.lines.join(), new RegExp(`^CONNECT (127\\.0\\.0\\.1|\\[::1\\]):${secure.port}$`))
  assert.deepEqual(secure.requests.entries[0]?.header('host'), [`localhost:${secure.port}`])
  proxy.requests.clear()
  const plainly = await call(http(), { http_proxy: proxy.url }, { outbound_deny })
  assert.equal(plainly.status, 200)
  assert.match(plainly.lines.join(), new RegExp(`^CONNECT (127\\.0\\.0\\.1|\\[::1\\]):${plain.port}$`))
  assert.deepEqual(plain.requests.entries[0]?.header('host'), [`localhost:${plain.port}`])
})

test('outbound_deny: a denied address never reaches the proxy', async () => {
  const outbound_deny = ['127.0.0.0/8', '::1/128']
  for (const url of [https(), http(), `https://127.0.0.1:${secure.port}`]) {
    const env = { HTTPS_PROXY: proxy.url, http_proxy: proxy.url }
    assert.deepEqual(await call(url, env, { outbound_deny }), { status: 502, error: 'UPSTREAM_DENIED', lines: [] })
  }
})
