import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import { answerClientErrors } from './client-errors.ts'
import { trackInboundConnections } from './inbound-connections.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

// Rules: docs/reference/http.md#timeouts

/** The head of a TLS message that announces 512 bytes. */
const BEGUN_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])

test('a TLS handshake that does not end in time ends its connection without an answer', {
  timeout: 60_000,
}, async (t) => {
  const authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const server = createServer({ cert, key, handshakeTimeout: 50 })
  const connections = trackInboundConnections(server)
  const answered: string[] = []
  answerClientErrors(server, connections, {
    session: () => ({ canonical: 'Session', value: 'one' }),
    onAnswered: (code) => answered.push(code),
  })
  const port = await listen(server)
  t.after(async () => {
    connections.destroy()
    server.close()
    await authority[Symbol.asyncDispose]()
  })
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.on('error', () => undefined)
  caller.resume()
  caller.write(BEGUN_HELLO)
  await once(caller, 'close')
  assert.deepEqual(answered, [])
})

/** Connects callers to a server that answers client errors; `answered` has a code for each answer. */
async function refusingServer(t: TestContext, { callers }: { readonly callers: number }) {
  const tracked = await trackedServerUnderTest(t)
  const { server, connections, open } = tracked
  const answered: string[] = []
  answerClientErrors(server, connections, {
    session: () => ({ canonical: 'Session', value: 'one' }),
    onAnswered: (code) => answered.push(code),
  })
  const served: Socket[] = []
  server.on('connection', (socket: Socket) => served.push(socket))
  const sockets = Array.from({ length: callers }, () => open().resume())
  while (served.length < callers) await nextTurn()
  const fail = (socket: Socket, code: string): void => {
    server.emit('clientError', Object.assign(new Error('failed'), { code }), socket)
  }
  return { ...tracked, sockets, served, answered, fail }
}

test('connections whose heads are late at one moment are answered some in each turn', {
  timeout: 60_000,
}, async (t) => {
  const { served, answered, fail } = await refusingServer(t, { callers: 100 })
  for (const socket of served) fail(socket, 'ERR_HTTP_REQUEST_TIMEOUT')
  const counts = [answered.length]
  while (answered.length < 100) {
    await nextTurn()
    counts.push(answered.length)
  }
  const most = Math.max(...counts.map((count, turn) => count - (counts[turn - 1] ?? 0)))
  assert.ok(most <= 32, `${most} answers in one turn`)
  assert.deepEqual(new Set(answered), new Set(['REQUEST_TIMEOUT']))
})

test('a second failure of a body leaves the answer to its call', { timeout: 60_000 }, async (t) => {
  const { server, connections, sockets, served, answered, fail } = await refusingServer(t, { callers: 1 })
  const endings: string[] = []
  const begun = new Promise<void>((resolve) => {
    const begin = connections.oneByOne((request, response) => {
      const connection = connections.of(request.socket)
      connection.openBody(function end({ kind }) {
        endings.push(kind)
        connection.closeBody(end)
        setImmediate(() => setImmediate(() => response.writeHead(400, { Connection: 'close' }).end('refused')))
        return true
      })
      resolve()
    })
    server.on('request', begin)
  })
  const [[caller], [socket]] = [sockets, served]
  assert.ok(caller !== undefined && socket !== undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab')
  await begun
  fail(socket, 'HPE_INVALID_CHUNK_SIZE')
  fail(socket, 'HPE_INVALID_CHUNK_SIZE')
  const [answer]: Buffer[] = await once(caller, 'data')
  assert.match(String(answer), /refused/)
  assert.deepEqual([endings, answered], [['refused'], []])
})
