import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InboundConnections } from './inbound-connections.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const PIECES = 10_500
const PIECE_BYTES = 6
const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
const BODY = '1\r\nx\r\n'.repeat(PIECES)

test('of fifty unread bodies in small chunks, one turn reads at most the bound of the limiter and some segments', {
  timeout: 60_000,
}, async (t) => {
  const { requests, sockets } = await startScene(t, 50)
  for (const socket of sockets) socket.write(HEAD + BODY)
  const arrived = (): number => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0)
  const hasAll = (bytes: number): boolean => requests.length >= sockets.length && bytes >= sockets.length * BODY.length
  await assertBoundOfTurn(arrived, hasAll)
})

test('of pipelined bodies on fifty connections, one turn reads at most the bound of the limiter and some segments', {
  timeout: 60_000,
}, async (t) => {
  const { requests, sockets } = await startScene(t, 50)
  const calls = `${HEAD}${'1\r\nx\r\n'.repeat(200)}0\r\n\r\n`.repeat(40)
  for (const socket of sockets) socket.write(calls)
  const servers = new Set<Socket>()
  const arrived = (): number => {
    for (const { socket } of requests) servers.add(socket)
    return [...servers].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  }
  await assertBoundOfTurn(arrived, () => servers.size >= sockets.length)
})

test('a reader gets the collected chunks of an unread body in one piece and then the rest', {
  timeout: 60_000,
}, async (t) => {
  const { connections, requests, sockets } = await startScene(t, 1)
  const [socket] = sockets
  socket?.write(HEAD + BODY)
  while ((requests[0]?.socket.bytesRead ?? 0) < HEAD.length + BODY.length) await nextTurn()
  const [request] = requests
  assert.ok(request !== undefined)
  connections.of(request.socket).releaseBody()
  const lengths: number[] = []
  request.on('data', (chunk: Buffer) => lengths.push(chunk.length))
  while (lengths.length === 0) await nextTurn()
  assert.deepEqual(lengths, [PIECES])
  socket?.write('2\r\nyz\r\n0\r\n\r\n')
  await once(request, 'end')
  assert.deepEqual(lengths, [PIECES, 2])
})

test('a body that waits behind another call is collected in one piece, also with a declared length', {
  timeout: 60_000,
}, async (t) => {
  const { connections, requests, answers, sockets } = await startScene(t, 1)
  const [socket] = sockets
  const heads = `GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n`
  socket?.write(heads)
  while (requests.length === 0) await nextTurn()
  for (let sent = 0; sent < 39; sent += 1) {
    const before = requests[0]?.socket.bytesRead ?? 0
    socket?.write('x')
    while ((requests[0]?.socket.bytesRead ?? 0) === before && sent > 0) await nextTurn()
  }
  answers[0]?.end()
  while (requests.length < 2) await nextTurn()
  const [, request] = requests
  assert.ok(request !== undefined)
  connections.of(request.socket).releaseBody()
  const lengths: number[] = []
  request.on('data', (chunk: Buffer) => lengths.push(chunk.length))
  while (lengths.length === 0) await nextTurn()
  assert.deepEqual(lengths, [39])
  socket?.write('y')
  await once(request, 'end')
  assert.deepEqual(lengths, [39, 1])
})

test('an unread body of more than 64 KiB pauses its connection until it is read', {
  timeout: 60_000,
}, async (t) => {
  const { connections, requests, sockets } = await startScene(t, 1)
  const size = 4 * 1024 * 1024
  sockets[0]?.write(`${HEAD}${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`)
  while ((requests[0]?.socket.bytesRead ?? 0) < 64 * 1024) await nextTurn()
  const [request] = requests
  assert.ok(request !== undefined)
  for (let turns = 0; turns < 200; turns += 1) await nextTurn()
  assert.ok(request.socket.bytesRead <= 256 * 1024, `${request.socket.bytesRead} bytes were read`)
  connections.of(request.socket).releaseBody()
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  await once(request, 'end')
  assert.equal(length, size)
})

test('an unread body of more than 64 KiB stays paused when the limiter of the port resumes its connection', {
  timeout: 60_000,
}, async (t) => {
  const { connections, requests, answers, sockets } = await startScene(t, 3)
  const size = 8 * 1024 * 1024
  const body = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`
  sockets[0]?.write(`${HEAD}${body}`)
  sockets[1]?.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${HEAD}${body}`)
  sockets[2]?.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)
  while (requests.length < 3) await nextTurn()
  for (const { socket } of requests) {
    const connection = connections.of(socket)
    while (socket.bytesRead < 64 * 1024) await nextTurn()
    for (let times = 0; times < 50; times += 1) {
      connection.pause()
      await nextTurn()
      connection.resume()
      for (let turns = 0; turns < 3; turns += 1) await nextTurn()
    }
    assert.ok(socket.bytesRead <= 256 * 1024, `${socket.bytesRead} bytes were read`)
  }
  const behind = requests.findIndex(({ method }) => method === 'GET')
  answers[behind]?.end()
  while (requests.length < 4) await nextTurn()
  for (const request of requests.filter(({ method }) => method === 'POST')) {
    const connection = connections.of(request.socket)
    connection.releaseBody()
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
    })
    // Read by its call, the body arrives whole between the pauses.
    while (!request.readableEnded) {
      connection.pause()
      await nextTurn()
      connection.resume()
      await nextTurn()
    }
    assert.equal(length, size)
  }
})

test('a body whose reader waits for a later turn stays paused when the limiter of the port resumes its connection', {
  timeout: 60_000,
}, async (t) => {
  const { connections, requests, sockets } = await startScene(t, 1)
  const size = 8 * 1024 * 1024
  sockets[0]?.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)
  while (requests.length === 0) await nextTurn()
  const [request] = requests
  assert.ok(request !== undefined)
  const connection = connections.of(request.socket)
  // As the reading of a body does, which takes the chunks before the stream does.
  request.push = () => false
  while (request.readableLength > 0) request.read()
  connection.holdBody(true)
  for (let turns = 0; turns < 5; turns += 1) await nextTurn()
  const { bytesRead } = request.socket
  for (let times = 0; times < 20; times += 1) {
    connection.pause()
    connection.resume()
    for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  }
  assert.equal(request.socket.bytesRead, bytesRead)
  connection.holdBody(false)
  connection.resume()
  while (request.socket.bytesRead === bytesRead) await nextTurn()
})

for (const [framing, body] of [
  ['Content-Length: 40', 'x'.repeat(40)],
  ['Transfer-Encoding: chunked', `28\r\n${'x'.repeat(40)}\r\n0\r\n\r\n`],
] as const) {
  test(`a body that is whole before its call begins is read once (${framing})`, { timeout: 60_000 }, async (t) => {
    const { connections, requests, answers, sockets } = await startScene(t, 1)
    const head = 'HTTP/1.1\r\nHost: a\r\n'
    sockets[0]?.write(`GET / ${head}\r\nPOST / ${head}${framing}\r\n\r\n${body}`)
    while (requests.length === 0) await nextTurn()
    answers[0]?.end()
    while (requests.length < 2) await nextTurn()
    const [, request] = requests
    assert.ok(request !== undefined)
    connections.of(request.socket).releaseBody()
    const lengths: number[] = []
    request.on('data', (chunk: Buffer) => lengths.push(chunk.length))
    await once(request, 'end')
    assert.deepEqual(lengths, [40])
    assert.equal(request.errored, null)
  })
}

test('a connection stays proven after many bodies in one piece, and not after one body in many pieces', {
  timeout: 60_000,
}, async (t) => {
  const { connections, requests, answers, sockets } = await startScene(t, 1)
  const [socket] = sockets
  const send = async (body: string): Promise<void> => {
    const count = requests.length
    socket?.write(`${HEAD}${body}0\r\n\r\n`)
    while (requests.length === count) await nextTurn()
    const [request, answer] = [requests[count], answers[count]]
    assert.ok(request !== undefined && answer !== undefined)
    connections.of(request.socket).releaseBody()
    request.resume()
    answer.end()
    await once(answer, 'close')
  }
  for (let count = 0; count < 300; count += 1) await send('1\r\nx\r\n')
  const [request] = requests
  assert.ok(request !== undefined)
  assert.equal(connections.of(request.socket).isProven, true)
  await send('1\r\nx\r\n'.repeat(600))
  assert.equal(connections.of(request.socket).isProven, false)
})

type Scene = {
  readonly connections: InboundConnections
  readonly requests: readonly IncomingMessage[]
  readonly answers: readonly ServerResponse[]
  readonly sockets: readonly Socket[]
}

/** Asserts that no turn reads more than four segments beyond the limiter's bound, until all bytes have arrived. */
async function assertBoundOfTurn(arrived: () => number, hasAll: (bytes: number) => boolean): Promise<void> {
  let before = 0
  let most = 0
  while (!hasAll(before)) {
    await nextTurn()
    const now = arrived()
    most = Math.max(most, now - before)
    before = now
  }
  // Two segments end the count, and two new connections are read once in any case.
  const bound = 4_096 * PIECE_BYTES + 4 * 65_536
  assert.ok(most <= bound, `${most} bytes in one turn, of at most ${bound}`)
}

/** Starts a server whose calls don't read their bodies, and connects callers. */
async function startScene(t: TestContext, callers: number): Promise<Scene> {
  const requests: IncomingMessage[] = []
  const answers: ServerResponse[] = []
  const { server, connections, sockets, open } = await trackedServerUnderTest(t)
  const begin = connections.oneByOne((request, response) => {
    requests.push(request)
    answers.push(response)
  })
  server.on('request', begin)
  for (let count = 0; count < callers; count += 1) await once(open(), 'connect')
  return { connections, requests, answers, sockets }
}
