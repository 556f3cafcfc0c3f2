import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listen } from '@llm-gateway/test/fake/listen'
import { isReading } from '../http/stop-reading.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { ConnectionEnds } from './connection-ends.ts'
import { IdleBound } from './idle-bound.ts'
import { OutboundConnection } from './outbound-connection.ts'
import { ReadTurns } from './read-turns.ts'

const MANY = 200
const PIECE = Buffer.alloc(32 * 1024)
const READ_MS = 1
/** A turn reads for 8 ms before and after its mark; the sockets are looked at twice. */
const MOST_READ = 40

type Pair = { readonly connection: OutboundConnection; readonly theirs: Socket }

const account = new MemoryAccount(1).open('/', new MemoryShare())

/** Opens connections of one LLM API; a busy one reads its bytes like undici, and each reading takes `READ_MS`. */
async function openPairs(t: TestContext, turns: ReadTurns, count: number): Promise<readonly Pair[]> {
  const server = createServer()
  const port = await listen(server)
  const pairs: Pair[] = []
  while (pairs.length < count) {
    const accepted = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    const [theirs]: Socket[] = await accepted
    assert.ok(theirs !== undefined)
    if (socket.connecting) await once(socket, 'connect')
    const connection = new OutboundConnection(socket, {
      origin: `http://127.0.0.1:${port}`,
      turns,
      isWanted: () => true,
      ends: new ConnectionEnds(),
      idle: new IdleBound(),
      fields: { parserKey: Symbol('parser'), maxHeaderBytes: 65_536 },
    })
    socket.on('readable', () => {
      while (socket.read() !== null) burn(READ_MS)
    })
    connection.expectAnswer(account)
    pairs.push({ connection, theirs })
  }
  t.after(() => {
    for (const { connection, theirs } of pairs) for (const socket of [connection.socket, theirs]) socket.destroy()
    server.close()
  })
  return pairs
}

/** Keeps the thread busy. */
function burn(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const hasRead = ({ connection }: Pair): boolean => connection.socket.bytesRead > 0

/** Ends the call of a connection, so that the connection is idle. */
function endCall({ connection }: Pair): void {
  connection.noteEnd(new MemoryAccount(1).open('/', new MemoryShare()))
}

test('of hundreds of connections that bring bytes at one moment, a turn reads some', {
  timeout: 60_000,
}, async (t) => {
  const pairs = await openPairs(t, new ReadTurns(), MANY)
  for (const { theirs } of pairs) theirs.write(PIECE)
  let most = 0
  let unread = 0
  for (let read = 0; read < MANY; ) {
    await nextTurn()
    const now = pairs.filter(hasRead).length
    most = Math.max(most, now - read)
    read = now
    unread = Math.max(unread, pairs.filter(({ connection }) => connection.socket.readableLength > 0).length)
  }
  assert.ok(most <= MOST_READ, `${most} connections were read in one turn`)
  assert.ok(unread <= MOST_READ, `${unread} connections held bytes that waited`)
  while (pairs.some(({ connection }) => connection.socket.bytesRead < PIECE.length)) await nextTurn()
})

test('connections whose bytes are endless leave none of the others out', { timeout: 60_000 }, async (t) => {
  const pairs = await openPairs(t, new ReadTurns(), MANY)
  let ended = false
  for (const { theirs } of pairs.slice(0, MANY / 2)) {
    const goOn = (): void => {
      if (!ended && !theirs.destroyed) theirs.write(PIECE, goOn)
    }
    goOn()
  }
  for (const { theirs } of pairs.slice(MANY / 2)) theirs.write('a')
  while (!pairs.every(hasRead)) await nextTurn()
  ended = true
})

test('an idle connection is read in any turn', { timeout: 60_000 }, async (t) => {
  const turns = new ReadTurns()
  const pairs = await openPairs(t, turns, MANY)
  const idle = pairs.slice(0, 3)
  for (const pair of idle) endCall(pair)
  for (const { theirs } of pairs.slice(3)) theirs.write(PIECE)
  while (!pairs.slice(3).every(hasRead)) {
    await nextTurn()
    assert.ok(idle.every(({ connection }) => isReading(connection.socket)))
  }
})

test('a connection that becomes idle while it waits is read at once', { timeout: 60_000 }, async (t) => {
  const turns = new ReadTurns()
  const [pair] = await openPairs(t, turns, 1)
  assert.ok(pair !== undefined)
  turns.wait(pair.connection)
  assert.equal(isReading(pair.connection.socket), false)
  endCall(pair)
  assert.equal(isReading(pair.connection.socket), true)
})

test('a paused body is read no further and counts; once it goes on, all its bytes come', {
  timeout: 60_000,
}, async (t) => {
  const [pair] = await openPairs(t, new ReadTurns(), 1)
  assert.ok(pair !== undefined)
  const { connection, theirs } = pair
  const account = new MemoryAccount(1024 * 1024).open('/', new MemoryShare())
  connection.socket.removeAllListeners('readable')
  connection.socket.on('readable', () => undefined)
  theirs.write(PIECE)
  while (connection.socket.readableLength < PIECE.length) await nextTurn()
  connection.holdBody(account)
  theirs.write(PIECE)
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  connection.socket.read(0)
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  assert.deepEqual([connection.socket.readableLength, account.bytes], [PIECE.length, PIECE.length])
  theirs.end()
  connection.releaseBody(account)
  assert.equal(account.bytes, 0)
  const readAll = (): void => {
    while (connection.socket.read() !== null);
  }
  connection.socket.on('readable', readAll)
  readAll()
  await once(connection.socket, 'end')
  assert.equal(connection.socket.bytesRead, 2 * PIECE.length)
})
