import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { FirstBytes } from './first-bytes.ts'
import { FIRST_READ_BYTES, FirstReads } from './first-read.ts'
import { NewConnection } from './new-connection.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const MANY = 60
const LONG = { acceptTimes: { accepting: 60_000, reading: 60_000 } }
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** Calls `each` for many connections that arrive together; the server reads the first of them at once. */
function openTogether(open: () => Socket, each: (socket: Socket, index: number) => void): readonly Socket[] {
  return Array.from({ length: MANY }, (_, index) => {
    const socket = open()
    each(socket, index)
    return socket
  })
}

const SLOW_HEADS = {
  'two hundred requests': 'GET /many HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200),
  'thousands of parameters': `GET /many?${'a&'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'a part of a long head': `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}`,
}

for (const [name, bytes] of Object.entries(SLOW_HEADS)) {
  test(`of connections that arrive together, those with one short request are served before those with ${name}`, {
    timeout: 60_000,
  }, async (t) => {
    const { server, open, connections } = await trackedServerUnderTest(t, LONG)
    const order: string[] = []
    const answer = connections.oneByOne((request, response) => {
      order.push(request.url ?? '')
      response.end()
    })
    server.on('request', answer)
    const isSingle = (index: number): boolean => index % 20 === 10
    openTogether(open, (socket, index) => {
      socket.resume()
      if (isSingle(index)) socket.write(`GET /single HTTP/1.1\r\nHost: a\r\n\r\n`)
      else socket.write(bytes)
    })
    while (order.filter((url) => url === '/single').length < 3) await nextTurn()
    const before = order.filter((url) => url.startsWith('/many')).length
    // The first connection is read at once.
    assert.ok(before <= 200, `${before} calls before the last single one`)
  })
}

test('each of many connections that arrive together gets its large body in order', { timeout: 60_000 }, async (t) => {
  const { server, open } = await trackedServerUnderTest(t, LONG)
  // First bytes with many lines wait.
  const line = (socket: number, count: number): string => `${socket} ${count}${socket % 2 === 0 ? '\n' : '\r\n'}`
  const bodyOf = (socket: number): string => Array.from({ length: 30_000 }, (_, count) => line(socket, count)).join('')
  const wrong: string[] = []
  let whole = 0
  server.on('request', async (request, response) => {
    const body = await textOf(request)
    if (body === bodyOf(Number(request.url?.slice(1)))) whole += 1
    else wrong.push(request.url ?? '')
    response.end()
  })
  openTogether(open, (socket, index) => {
    const body = bodyOf(index)
    socket.write(`POST /${index} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  })
  while (whole + wrong.length < MANY) await nextTurn()
  assert.deepEqual(wrong, [])
})

test('pipelined calls of many connections that arrive together are answered in order, and all of them', {
  timeout: 60_000,
}, async (t) => {
  const { server, open, connections } = await trackedServerUnderTest(t, LONG)
  server.on(
    'request',
    connections.oneByOne((request, response) => void response.end(`<${request.url}>`)),
  )
  const paths = Array.from({ length: 12 }, (_, count) => `/${'x'.repeat(1_000)}${count}`)
  const got = openTogether(open, (socket) => {
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  }).map(async (socket) => {
    let text = ''
    for await (const chunk of socket.setEncoding('latin1')) {
      text += chunk
      if (text.includes(`<${paths.at(-1)}>`)) break
    }
    return [...text.matchAll(/<(.*?)>/gs)].map(([, path]) => path)
  })
  for (const answered of await Promise.all(got)) assert.deepEqual(answered, paths)
})

test('a connection whose first bytes wait is read further, and its end is seen', { timeout: 60_000 }, async (t) => {
  const { server, open, sockets } = await trackedServerUnderTest(t, LONG)
  let ended = 0
  server.on('connection', (socket: Socket) => socket.on('end', () => (ended += 1)))
  server.on('request', async (request, response) => response.end(`<${(await textOf(request)).length}>`))
  const [first, rest] = ['x\r\n'.repeat(1_000), 'y\r\n'.repeat(200_000)]
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${first.length + rest.length}\r\n\r\n`
  const answers = openTogether(open, (socket) => void socket.write(head + first)).map(async (socket) => {
    await pause(20)
    socket.write(rest)
    for await (const chunk of socket.setEncoding('latin1')) if (String(chunk).includes('>')) return String(chunk)
    return 'closed'
  })
  for (const answer of await Promise.all(answers)) assert.match(answer, /<603000>/)
  for (const socket of sockets) socket.end()
  while (ended < MANY) await pause(5)
})

test('connections with an unread answer and pipelined calls survive that others arrive together', {
  timeout: 60_000,
}, async (t) => {
  const { server, open, connections } = await trackedServerUnderTest(t, LONG)
  const large = Buffer.alloc(16 * 1024 * 1024)
  let answered = 0
  server.on(
    'request',
    connections.oneByOne((request, response) => {
      answered += 1
      response.end(request.url === '/large' ? large : '')
    }),
  )
  const crowd = (path: string): readonly Socket[] =>
    openTogether(open, (socket) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(20)))
  const readers = crowd('/large').slice(0, 10)
  await pause(50)
  crowd('/small')
  await pause(50)
  for (const socket of readers) socket.write(REQUEST)
  const before = answered
  const late = open()
  late.resume()
  late.write(REQUEST)
  while (answered === before) await pause(5)
})

test('connections that end, are reset or send no HTTP while they wait affect no other', {
  timeout: 60_000,
}, async (t) => {
  const { server, open, sockets } = await trackedServerUnderTest(t, LONG)
  let answered = 0
  server.on('request', (_, response) => response.end('ok'))
  const endings = [
    (socket: Socket): unknown => socket.end(),
    (socket: Socket): unknown => once(socket, 'connect').then(() => socket.resetAndDestroy()),
    (socket: Socket): unknown => socket.write('\0\0\0\r\n\r\n'),
    (socket: Socket): unknown => socket.write(`${REQUEST}\0\0`.repeat(20)),
  ]
  openTogether(open, (socket, index) => {
    if (index % 2 === 0) endings[(index / 2) % endings.length]?.(socket)
    else socket.write(REQUEST)
    socket.on('data', (chunk: Buffer) => {
      if (index % 2 === 1 && chunk.includes('ok')) answered += 1
    })
  })
  while (answered < MANY / 2) await nextTurn()
  // Each of the others is closed too.
  while (sockets.some((socket, index) => index % 2 === 0 && !socket.destroyed)) await nextTurn()
})

test('while connections wait with more first bytes than the bound, further ones that pipeline many requests are cut', {
  timeout: 60_000,
}, async (t) => {
  const { server, open } = await trackedServerUnderTest(t, { ...LONG, mostFirstBytes: 128 * 1024 })
  const served = new Set<string>()
  server.on('request', (request, response) => {
    served.add(request.url ?? '')
    response.end()
  })
  const clients = openTogether(open, (socket, index) => {
    socket.resume()
    socket.write(`GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(index === MANY - 1 ? 1 : 1_500))
  })
  const isCut = (socket: Socket, index: number): boolean => socket.destroyed && !served.has(`/${index}`)
  const isDone = (): boolean => served.has(`/${MANY - 1}`) && clients.some(isCut)
  const end = performance.now() + 20_000
  while (!isDone() && performance.now() < end) await nextTurn()
  assert.ok(isDone())
})

test('a connection beyond the bound of first bytes is cut, does not wait, and gives its bytes back', {
  timeout: 60_000,
}, async (t) => {
  const { socket, firstBytes, connection } = await lookedAt(t, REQUEST.repeat(20), 10)
  assert.equal(connection.endLook(), false)
  assert.equal(connection.firstBytes, 0)
  connection.serve()
  assert.deepEqual([socket.destroyed, firstBytes.waiting], [true, 0])
})

test('a connection that closes while it waits in the limiter gives its first bytes back', {
  timeout: 60_000,
}, async (t) => {
  const { socket, firstBytes, connection } = await lookedAt(t, REQUEST.repeat(20), 1_000_000)
  assert.equal(connection.endLook(), true)
  assert.equal(firstBytes.waiting, REQUEST.length * 20)
  socket.destroy()
  await once(socket, 'close')
  assert.deepEqual([firstBytes.waiting, connection.firstBytes], [0, 0])
})

test('a connection that closes before the end of the look does not wait', { timeout: 60_000 }, async (t) => {
  const { socket, firstBytes, connection } = await lookedAt(t, REQUEST.repeat(20), 1_000_000)
  socket.destroy()
  await once(socket, 'close')
  assert.equal(connection.endLook(), false)
  assert.deepEqual([firstBytes.waiting, connection.firstBytes], [0, 0])
})

test('connections whose first bytes are few are served although a crowd with many goes beyond the bound', {
  timeout: 60_000,
}, async (t) => {
  const { server, open } = await trackedServerUnderTest(t, { ...LONG, mostFirstBytes: 100_000 })
  let served = 0
  server.on('request', (_, response) => {
    served += 1
    response.end()
  })
  const [large, small] = [4_000, 200].map((lines) => `GET / HTTP/1.1\r\nHost: a\r\n${'x:\r\n'.repeat(lines)}\r\n`)
  const smallOnes = openTogether(open, (socket, index) => {
    socket.resume()
    socket.write((index < 3 || index > MANY - 3 ? small : large) ?? '')
  }).filter((_, index) => index < 3 || index > MANY - 3)
  await Promise.all(smallOnes.map((socket) => once(socket, 'data')))
  assert.ok(served < MANY)
})

test('a connection knows its network, its first bytes and the head of their request', async (t) => {
  for (const [first, target] of [
    ['GET /a/b?c=d HTTP/1.1\r\nHost: a\r\n\r\n', '/a/b?c=d'],
    ['GET /unfinished', undefined],
    ['\0\0\0\0', undefined],
    [' ', undefined],
  ] as const) {
    const { socket, connection } = await lookedAt(t, first, 1_000)
    assert.equal(connection.endLook(), false)
    assert.deepEqual([connection.firstBytes, connection.head?.target], [first.length, target])
    assert.equal(connection.network, '127.0.0.1')
    socket.destroy()
    assert.equal(connection.network, '127.0.0.1')
  }
})

test('a look reads the first bytes of a long request alone', async (t) => {
  const { socket, connection } = await lookedAt(t, `POST / HTTP/1.1\r\n\r\n${'x'.repeat(200_000)}`, 1_000)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.deepEqual([connection.endLook(), connection.firstBytes], [false, FIRST_READ_BYTES])
  assert.deepEqual([socket.bytesRead, socket.readableLength], [FIRST_READ_BYTES, 0])
})

test('a connection that sent nothing before the end of its look is read as any other', {
  timeout: 60_000,
}, async (t) => {
  const { server, open } = await trackedServerUnderTest(t)
  server.removeAllListeners('connection')
  const arrived = once(server, 'connection')
  const caller = open()
  const [socket]: Socket[] = await arrived
  assert.ok(socket !== undefined)
  const parts = { firstBytes: new FirstBytes(1_000), firstReads: new FirstReads() }
  const connection = new NewConnection(socket, parts, () => () => undefined)
  connection.look()
  await nextTurn()
  assert.equal(connection.endLook(), false)
  let got = ''
  socket.on('data', (bytes) => (got += String(bytes)))
  connection.serve()
  for (const text of ['one', 'two', 'x'.repeat(100_000)]) {
    caller.write(text)
    while (!got.endsWith(text)) await nextTurn()
  }
  assert.equal(got.length, 100_006)
  caller.end()
  await once(socket, 'end')
})

/** Connects a caller that sends `bytes`, and waits until the look has read them; the connection must not be served. */
async function lookedAt(t: TestContext, bytes: string, mostFirstBytes: number) {
  const { server, open } = await trackedServerUnderTest(t)
  server.removeAllListeners('connection')
  const firstBytes = new FirstBytes(mostFirstBytes)
  const arrived = once(server, 'connection')
  open().write(bytes)
  const [socket]: Socket[] = await arrived
  assert.ok(socket !== undefined)
  const connection = new NewConnection(socket, { firstBytes, firstReads: new FirstReads() }, () =>
    assert.fail('was served'),
  )
  connection.look()
  while (connection.firstBytes === 0) await nextTurn()
  return { socket, firstBytes, connection }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('latin1')) text += String(chunk)
  return text
}
