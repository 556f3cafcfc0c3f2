import assert from 'node:assert/strict'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen, listenUntilEnd } from '@llm-gateway/test/fake/listen'
import buildConnector from 'undici/lib/core/connect.js'
import { paceHandshakes } from './outbound-handshakes.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const CONNECTIONS = 40

/** Passes bytes to a TLS server, and its first answers back once all connections have theirs. */
async function startRelay(t: TestContext, target: number): Promise<number> {
  const held: (() => void)[] = []
  const relay = createTcpServer((near: Socket) => {
    const far = connect(target, '127.0.0.1')
    near.pipe(far)
    for (const socket of [near, far]) {
      socket.on('error', () => undefined)
      t.after(() => socket.destroy())
    }
    far.once('readable', () => {
      held.push(() => void far.pipe(near))
      if (held.length === CONNECTIONS) for (const pass of held) pass()
    })
  })
  t.after(() => relay.close())
  return listen(relay)
}

test('where the answers to many hellos come at once, each turn reads one of them', { timeout: 60_000 }, async (t) => {
  await using authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const server = createTlsServer({ cert, key })
  t.after(() => server.close())
  const port = await startRelay(t, await listen(server))
  const open = paceHandshakes(buildConnector({ ca: authority.certificate, allowH2: false, timeout: 60_000 }))
  let opened = 0
  const target = { hostname: '127.0.0.1', servername: 'localhost', protocol: 'https:', port: String(port) }
  for (let connection = 0; connection < CONNECTIONS; connection += 1) {
    open(target, (error, socket) => {
      assert.equal(error, null)
      t.after(() => socket?.destroy())
      opened += 1
    })
  }
  let mostInOneTurn = 0
  while (opened < CONNECTIONS) {
    const before = opened
    await nextTurn()
    mostInOneTurn = Math.max(mostInOneTurn, opened - before)
  }
  assert.equal(mostInOneTurn, 1)
})

test('an LLM API begins no second handshake', { timeout: 60_000 }, async (t) => {
  await using authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const llm = createTlsServer({ cert, key, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.renegotiate({}, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')))
  })
  const port = await listenUntilEnd(t, llm)
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const answer = await upstream.send(requestTo(`https://localhost:${port}`, 60_000), STAYS)
  assert.equal(answer.kind, 'failed')
})
