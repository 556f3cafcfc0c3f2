import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { createDenyList } from './deny-list.ts'
import type { UpstreamOptions } from './undici-upstream.ts'
import type { UpstreamAnswer } from './upstream.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const CALLS = 5
const EARLY = 'x'.repeat(100)

/** Returns the server's port and the count of its connections. */
async function open(t: TestContext, server: Server): Promise<{ readonly port: number; readonly count: () => number }> {
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  return { port: await listenUntilEnd(t, server), count: () => connections }
}

/** Returns the calls' answers, once all connections have ended. */
async function callAll(origin: string, options: Partial<UpstreamOptions>): Promise<readonly UpstreamAnswer[]> {
  const upstream = upstreamUnderTest({ ...options, connectTimeoutMs: 10_000 })
  const request = requestTo(origin, 10_000)
  const answers = await Promise.all(Array.from({ length: CALLS }, () => upstream.send(request, STAYS)))
  await upstream.close()
  return answers
}

function codesOf(answers: readonly UpstreamAnswer[]): readonly string[] {
  return [...new Set(answers.map((answer) => (answer.kind === 'failed' ? answer.code : answer.kind)))]
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n'

for (const [name, act, codes] of [
  ['is reset', (socket: Socket) => socket.write(established, () => socket.resetAndDestroy()), ['UPSTREAM_RESET']],
  ['ends', (socket: Socket) => socket.end(established), ['UPSTREAM_RESET']],
  ['brings bytes', (socket: Socket) => socket.write(established + EARLY), ['UPSTREAM_PROTOCOL']],
  ['brings bytes and ends', (socket: Socket) => socket.end(established + EARLY), ['UPSTREAM_PROTOCOL']],
  [
    'brings bytes and is reset',
    (socket: Socket) => socket.write(established + EARLY, () => socket.resetAndDestroy()),
    ['UPSTREAM_PROTOCOL'],
  ],
] as const) {
  for (const protocol of ['http:', 'https:']) {
    test(`${protocol} where a tunnel ${name}, a call fails with it`, { timeout: 30_000 }, async (t) => {
      const proxy = await open(
        t,
        createServer((socket) => void socket.once('data', () => act(socket))),
      )
      const url = new URL(`http://127.0.0.1:${proxy.port}`)
      const answers = await callAll(`${protocol}//127.0.0.9:81`, {
        deny: createDenyList(['10.9.0.0/16']),
        proxyFor: () => url,
      })
      assert.deepEqual(codesOf(answers), codes)
      assert.equal(proxy.count(), CALLS)
    })
  }
}

for (const [name, act] of [
  ['speaks first', (socket: Socket) => socket.write(EARLY)],
  ['speaks first and closes', (socket: Socket) => socket.end(EARLY)],
  ['closes', (socket: Socket) => socket.end()],
  ['breaks off', (socket: Socket) => socket.destroy()],
] as const) {
  test(`where an LLM API ${name} at once, each call opens one connection`, { timeout: 30_000 }, async (t) => {
    await using authority = await createAuthority()
    const { certificate: cert, privateKey: key } = await authority.issue('localhost')
    const plain = await open(t, createServer(act))
    const tls = createTlsServer({ cert, key }, act)
    tls.on('tlsClientError', () => undefined)
    const secure = await open(t, tls)
    for (const [server, protocol] of [
      [plain, 'http'],
      [secure, 'https'],
    ] as const) {
      const answers = await callAll(`${protocol}://127.0.0.1:${server.port}`, {})
      assert.ok(answers.every(({ kind }) => kind === 'failed'))
      assert.equal(server.count(), CALLS)
    }
  })
}
