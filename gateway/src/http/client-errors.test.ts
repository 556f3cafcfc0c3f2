import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { connect, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import { answerClientErrors, NOT_HTTP, refuseOtherProtocols } from './client-errors.ts'
import type { HeaderMap } from './headers.ts'
import { trackInboundConnections } from './inbound-connections.ts'
import { mostReadInTurn, trackedServerUnderTest } from './tracked-server-under-test.ts'

// Rules: docs/reference/http.md#timeouts

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

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
  // Node tells failures only of connections that it has got.
  const isServed = (socket: Socket): boolean => connections.find(socket) !== undefined
  while (served.length < callers || !served.every(isServed)) await nextTurn()
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

test('a body that breaks before its call reads it is left to the call', { timeout: 60_000 }, async (t) => {
  const { server, connections, sockets, answered } = await refusingServer(t, { callers: 1 })
  const broken = once(server, 'clientError')
  const endings: unknown[] = []
  server.on(
    'request',
    connections.oneByOne(async (request, response) => {
      await broken
      // A refusal beside the call would be written now.
      await nextTurn()
      connections.of(request.socket).openBody((ending) => endings.push(ending) > 0)
      response.writeHead(400, { Connection: 'close' }).end('refused')
    }),
  )
  const [caller] = sockets
  assert.ok(caller !== undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n')
  const [answer]: Buffer[] = await once(caller, 'data')
  assert.match(String(answer), /refused/)
  assert.deepEqual(answered, [])
  assert.deepEqual(endings, [{ kind: 'refused', code: 'BAD_PATH', message: NOT_HTTP }])
})

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const READ_BYTES = 65_536
/** Beyond its bound a turn may read two new connections once, and finish the reads that it has begun. */
const BEYOND_BYTES = 4 * READ_BYTES
/** The most bytes in one turn: the bound of the read limiter, which counts long pieces in groups of half a MiB. */
const MOST_IN_TURN = { chunksOfByte: 4_096 * 6 + BEYOND_BYTES, long: 4.5 * 1024 * 1024 + BEYOND_BYTES }

test('the bodies of RTSP requests behind running calls are dropped, and one turn reads few of their chunks', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, sockets, served } = await refusingServer(t, { callers: 50 })
  const requests: IncomingMessage[] = []
  const refuse = refuseOtherProtocols(
    server,
    connections,
    connections.oneByOne(() => undefined),
  )
  server.on('request', (request, response) => {
    requests.push(request)
    refuse(request, response)
  })
  const describe = 'DESCRIBE / RTSP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n'
  const bytes = describe + '1\r\nx\r\n'.repeat(10_000)
  for (const socket of sockets) socket.write(GET)
  while (requests.length < served.length) await nextTurn()
  for (const socket of sockets) socket.write(bytes)
  const most = await mostReadInTurn(served, bytes.length)
  assert.ok(most <= MOST_IN_TURN.chunksOfByte, `${most} bytes in one turn`)
  assert.equal(requests.filter(({ method }) => method === 'DESCRIBE').length, served.length)
  const kept = Math.max(...requests.map(({ readableLength }) => readableLength))
  assert.equal(kept, 0)
})

test('of the bytes behind CONNECT requests whose refusals wait, one turn reads four megabytes', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, sockets, served } = await refusingServer(t, { callers: 40 })
  let begun = 0
  server.on(
    'request',
    connections.oneByOne(() => (begun += 1)),
  )
  for (const socket of sockets) socket.write(GET)
  while (begun < served.length) await nextTurn()
  const bytes = `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(2 * 1024 * 1024)}`
  for (const socket of sockets) socket.write(bytes)
  const most = await mostReadInTurn(served, bytes.length)
  assert.ok(most <= MOST_IN_TURN.long, `${most} bytes in one turn`)
})

for (const [name, head] of [
  ['malformed heads', 'x\r\n\r\n'],
  ['CONNECT requests', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['RTSP requests', 'DESCRIBE / RTSP/1.0\r\n\r\n'],
] as const) {
  test(`of 400 ${name} at one moment, one turn reads 128 and answers 32`, { timeout: 60_000 }, async (t) => {
    const { server, connections, sockets, served, answered } = await refusingServer(t, { callers: 400 })
    let begun = 0
    const answer = connections.oneByOne((_, response) => {
      begun += 1
      response.end()
    })
    server.on('request', refuseOtherProtocols(server, connections, answer))
    for (const socket of sockets) socket.write(GET)
    while (begun < served.length) await nextTurn()
    const replies = sockets.map((socket) => once(socket, 'end'))
    const before = served.map(({ bytesRead }) => bytesRead)
    for (const socket of sockets) socket.write(head)
    const counts: { readonly read: number; readonly answered: number }[] = []
    while (answered.length < served.length) {
      await nextTurn()
      const read = served.filter(({ bytesRead }, index) => bytesRead !== before[index]).length
      counts.push({ read, answered: answered.length })
    }
    await Promise.all(replies)
    const most = (kind: 'read' | 'answered'): number =>
      Math.max(...counts.map((count, turn) => count[kind] - (counts[turn - 1]?.[kind] ?? 0)))
    assert.ok(most('read') <= 128 + 16, `${most('read')} heads in one turn`)
    assert.ok(most('answered') <= 32, `${most('answered')} answers in one turn`)
  })
}

test('a caller whose malformed heads arrive one after another gets one answer', { timeout: 60_000 }, async (t) => {
  const { server, sockets, served, answered } = await refusingServer(t, { callers: 1 })
  const [[caller], [socket]] = [sockets, served]
  assert.ok(caller !== undefined && socket !== undefined)
  const first = once(server, 'clientError')
  caller.write('x\r\n\r\n')
  await first
  server.emit('clientError', Object.assign(new Error('failed'), { code: 'HPE_INVALID_METHOD' }), socket)
  const [answer]: Buffer[] = await once(caller, 'data')
  assert.match(String(answer), /^HTTP\/1.1 400 /)
  await once(socket, 'close')
  assert.deepEqual(answered, ['BAD_PATH'])
})

test('a CONNECT keeps nothing of its head while its refusal waits for an earlier answer', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, sockets } = await refusingServer(t, { callers: 1 })
  const responses: ServerResponse[] = []
  server.on(
    'request',
    connections.oneByOne((_, response) => responses.push(response)),
  )
  const heads: WeakRef<HeaderMap>[] = []
  answerClientErrors(server, connections, {
    session: (headers) => {
      if (headers !== undefined) heads.push(new WeakRef(headers))
      return { canonical: 'Session', value: 'one' }
    },
    onAnswered: () => undefined,
  })
  const [caller] = sockets
  assert.ok(caller !== undefined)
  caller.write(`${GET}CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(10_000)}\r\n\r\n`)
  while (heads.length === 0) await nextTurn()
  await nextTurn()
  assert.ok(typeof collectGarbage === 'function')
  collectGarbage()
  assert.equal(heads[0]?.deref(), undefined)
  responses[0]?.end()
})

const PART = 'GET / HTTP/1.1\r\nHost: a\r\nX-Long: x'
const REST = '\r\n\r\n'
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

/** A caller with a running call and a part of a head behind it. */
async function callerWithPart(t: TestContext) {
  const refusing = await refusingServer(t, { callers: 1 })
  const { server, connections, sockets, served } = refusing
  const responses: ServerResponse[] = []
  server.on(
    'request',
    connections.oneByOne((_, response) => responses.push(response)),
  )
  const [[caller], [socket]] = [sockets, served]
  assert.ok(caller !== undefined && socket !== undefined)
  caller.write(`${GET}${PART}`)
  while (responses.length === 0) await nextTurn()
  return { ...refusing, caller, socket, connection: connections.of(socket), responses }
}

test('a late head behind a running call is refused behind its answer, and counts until then', {
  timeout: 60_000,
}, async (t) => {
  const { caller, socket, connection, responses, answered, fail } = await callerWithPart(t)
  assert.equal(connection.keepsFailedHead, false)
  fail(socket, LATE)
  while (!connection.keepsFailedHead) await nextTurn()
  responses[0]?.end()
  await once(caller, 'close')
  assert.deepEqual(answered, ['REQUEST_TIMEOUT'])
})

test('a late head that arrives after all is a call, and no refusal follows its answer', {
  timeout: 60_000,
}, async (t) => {
  const { caller, socket, connection, responses, answered, fail } = await callerWithPart(t)
  fail(socket, LATE)
  while (!connection.keepsFailedHead) await nextTurn()
  caller.write(REST)
  while (connection.keepsFailedHead) await nextTurn()
  responses[0]?.end()
  while (responses.length === 1) await nextTurn()
  responses[1]?.end()
  await once(caller, 'data')
  caller.write(GET)
  while (responses.length === 2) await nextTurn()
  assert.deepEqual(answered, [])
})

/**
 * Lets the head of a socket be late while many refusals wait for their turns. Resolves once the last of them had its turn,
 * which is some hundred turns later.
 */
async function failBehindOthers(t: TestContext, socket: Socket, fail: (socket: Socket, code: string) => void) {
  const others = Array.from({ length: 32 * 300 }, () => new Socket().destroy())
  const last = new Socket().destroy()
  const ended = new Promise<void>((resolve) => {
    t.mock.method(last, 'destroy', () => {
      resolve()
      return last
    })
  })
  for (const failed of [...others, socket, last]) fail(failed, LATE)
  await ended
}

test('a late head that arrives before the turn of its refusal is not refused', { timeout: 60_000 }, async (t) => {
  const { caller, socket, connection, responses, answered, fail } = await callerWithPart(t)
  const refusalsEnded = failBehindOthers(t, socket, fail)
  caller.write(REST)
  await refusalsEnded
  assert.equal(connection.keepsFailedHead, false)
  responses[0]?.end()
  while (responses.length === 1) await nextTurn()
  const answer = once(caller, 'data')
  responses[1]?.end()
  await answer
  caller.write(GET)
  while (responses.length === 2) await nextTurn()
  assert.deepEqual(answered, [])
})

test('a late head that arrives before the turn of its refusal keeps the body behind it', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, sockets, served, answered, fail } = await refusingServer(t, { callers: 1 })
  const endings: unknown[] = []
  server.on(
    'request',
    connections.oneByOne(({ socket }) => connections.of(socket).openBody((ending) => endings.push(ending) > 0)),
  )
  const [[caller], [socket]] = [sockets, served]
  assert.ok(caller !== undefined && socket !== undefined)
  caller.write('POST / HTTP/1.1\r\nHost: a\r\n')
  while (socket.bytesRead === 0) await nextTurn()
  const refusalsEnded = failBehindOthers(t, socket, fail)
  caller.write('Content-Length: 9\r\n\r\n{')
  await refusalsEnded
  assert.equal(connections.of(socket).hasCall, true)
  assert.deepEqual([endings, answered], [[], []])
})

/** Returns a caller whose connection the gateway has paused, and whose head node has reported as late since. */
async function pausedCallerWithLatePart(t: TestContext) {
  const scene = await callerWithPart(t)
  scene.connection.pause()
  scene.fail(scene.socket, LATE)
  while (!scene.connection.keepsFailedHead) await nextTurn()
  return scene
}

test('a head that is late while the gateway reads nothing of its connection is not refused', {
  timeout: 60_000,
}, async (t) => {
  const { caller, connection, responses, answered } = await pausedCallerWithLatePart(t)
  const answer = once(caller, 'data')
  responses[0]?.end()
  await answer
  caller.write(REST)
  connection.resume()
  while (responses.length === 1) await nextTurn()
  assert.deepEqual(answered, [])
})

test('a head that was late while the gateway read nothing is refused if it does not arrive afterwards', {
  timeout: 60_000,
}, async (t) => {
  const { caller, connection, responses, answered } = await pausedCallerWithLatePart(t)
  responses[0]?.end()
  connection.resume()
  await once(caller, 'close')
  assert.deepEqual(answered, ['REQUEST_TIMEOUT'])
})
