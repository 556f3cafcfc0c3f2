import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { ConnectionEnds } from './connection-ends.ts'
import { IdleBound } from './idle-bound.ts'
import { OutboundConnection } from './outbound-connection.ts'
import { ReadTurns } from './read-turns.ts'
import { upstreamCode } from './upstream-code.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const account = new MemoryAccount(1).open('/', new MemoryShare())
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** Returns a connection in a turn whose time for answers has passed. */
function lateConnection() {
  const turns = new ReadTurns()
  const socket = new Socket()
  const connection = new OutboundConnection(socket, {
    origin: 'http://llm.example',
    turns,
    isWanted: () => true,
    ends: new ConnectionEnds(),
    idle: new IdleBound(),
    fields: { parserKey: Symbol('parser'), maxHeaderBytes: 65_536 },
  })
  assert.equal(turns.mayRead(connection), true)
  turns.noteRead(connection, 1)
  const start = performance.now()
  while (turns.mayRead(connection)) {
    turns.noteRead(connection, 1)
    assert.ok(performance.now() - start < 1_000)
  }
  return { socket, connection }
}

test('an answer waits for a later turn where this one has no time left', async () => {
  const { socket, connection } = lateConnection()
  connection.expectAnswer(account)
  socket.push(ANSWER)
  assert.equal(socket.read(), null)
  const read = await new Promise((resolve) => {
    socket.on('readable', () => {
      const bytes: unknown = socket.read()
      if (bytes !== null) resolve(bytes)
    })
  })
  assert.equal(String(read), ANSWER)
})

test('bytes that no call has asked for never wait, so that they can’t become the answer of the next call', () => {
  const { socket, connection } = lateConnection()
  connection.expectAnswer(account)
  connection.noteEnd(account)
  socket.push(ANSWER)
  assert.equal(String(socket.read()), ANSWER)
})

/** A connection whose `readable` bytes are read as undici reads them; each reading takes `parseMs`. */
function parsedConnection(turns = new ReadTurns()) {
  const socket = new Socket()
  const connection = new OutboundConnection(socket, {
    origin: 'http://llm.example',
    turns,
    isWanted: () => true,
    ends: new ConnectionEnds(),
    idle: new IdleBound(),
    fields: { parserKey: Symbol('parser'), maxHeaderBytes: 65_536 },
  })
  connection.expectAnswer(account)
  const sizes: number[] = []
  const read = (parseMs: number): void => {
    for (let bytes: unknown = socket.read(); Buffer.isBuffer(bytes); bytes = socket.read()) {
      sizes.push(bytes.length / 1024)
      const end = performance.now() + parseMs
      while (performance.now() < end);
    }
  }
  return { socket, connection, sizes, read }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a connection whose bytes take long to parse is read in smaller pieces, and in larger ones again later', async () => {
  const { socket, sizes, read } = parsedConnection()
  socket.push(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(128 * 1024)]))
  read(5)
  await nextTurn()
  socket.on('readable', () => read(0))
  while (sizes.reduce((sum, size) => sum + size, 0) < 128) await nextTurn()
  assert.deepEqual(sizes.slice(0, 2), [64, 16])
  assert.ok(sizes.some((size, at) => at > 1 && size > (sizes[at - 1] ?? 0)))
})

test('bytes that don’t fill a piece make no later piece larger', async () => {
  const { socket, sizes, read } = parsedConnection()
  socket.push(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(64 * 1024)]))
  read(5)
  await nextTurn()
  for (let count = 0; count < 5; count += 1) {
    socket.push(Buffer.alloc(1024))
    read(0)
    await nextTurn()
  }
  sizes.length = 0
  socket.push(Buffer.alloc(64 * 1024))
  read(0)
  assert.ok((sizes[0] ?? 64) <= 16, `${sizes[0]} KiB at once`)
})

test('a new connection begins with small pieces while others of its LLM API need them', async () => {
  const turns = new ReadTurns()
  const slow = parsedConnection(turns)
  slow.socket.push(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(60 * 1024)]))
  slow.read(5)
  await nextTurn()
  const next = parsedConnection(turns)
  next.socket.push(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(60 * 1024)]))
  next.read(0)
  assert.equal(next.sizes[0], 16)
  for (const { socket } of [slow, next]) socket.destroy()
  await nextTurn()
  assert.equal(parsedConnection(turns).connection.pieceBytes, 64 * 1024)
})

test('the time after a pause isn’t the time of the paused bytes', async () => {
  const turns = new ReadTurns()
  const { socket, connection } = parsedConnection(turns)
  const other = parsedConnection(turns)
  socket.push(ANSWER)
  assert.equal(String(socket.read()), ANSWER)
  connection.holdBody(new MemoryAccount(1024).open('/', new MemoryShare()))
  await Promise.resolve()
  const end = performance.now() + 20
  while (performance.now() < end);
  other.read(0)
  assert.equal(connection.pieceBytes, 64 * 1024)
})

for (const [left, isBroken] of [
  [20_000, false],
  [19_999, true],
] as const)
  test(`20 KB that a paused connection has read ahead, with ${left} bytes of room beside the account`, async () => {
    const full = new MemoryAccount(1)
    const other = full.open('/other/', new MemoryShare())
    other.add(1)
    other.takeSpare(64 * 1024 * 1024 - left)
    const { socket, connection } = parsedConnection()
    socket.on('error', () => undefined)
    socket.push(Buffer.alloc(20_000))
    const memory = full.open('/', new MemoryShare())
    connection.holdBody(memory)
    await Promise.resolve()
    assert.equal(connection.isBroken, isBroken)
    if (isBroken) assert.equal(connection.codeOf(new Error('broken')), 'OVERLOADED')
    assert.equal(other.takeSpare(1), isBroken)
    connection.releaseBody(memory)
    assert.equal(other.takeSpare(left - 1), true)
  })

function bring(socket: Socket, tickets: number): void {
  for (let sent = 0; sent < tickets; sent += 1) socket.emit('session', Buffer.alloc(1))
}

test('a connection that brings session tickets without an end is cut, and a few change nothing', async () => {
  const { socket } = parsedConnection()
  bring(socket, 4)
  await nextTurn()
  assert.equal(socket.destroyed, false)
  bring(socket, 28)
  await new Promise((resolve) => socket.on('close', resolve))
  assert.equal(upstreamCode(socket.errored), 'UPSTREAM_TLS')
})

for (const [tickets, isCut] of [
  [4, false],
  [31, true],
] as const) {
  test(`a connection that brings ${tickets} session tickets behind each request is ${isCut ? '' : 'not '}cut`, async () => {
    const { socket, connection } = parsedConnection()
    for (let requests = 0; requests < 50; requests += 1) {
      connection.expectAnswer(account)
      bring(socket, tickets)
      connection.noteEnd(account)
      await nextTurn()
    }
    assert.equal(socket.destroyed, isCut)
  })
}
