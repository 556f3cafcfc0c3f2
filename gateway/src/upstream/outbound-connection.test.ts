import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { ConnectionEnds } from './connection-ends.ts'
import { OutboundConnection } from './outbound-connection.ts'
import { ReadTurns } from './read-turns.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** Returns a connection in a turn whose time for answers has passed. */
function lateConnection() {
  const turns = new ReadTurns()
  const socket = new Socket()
  const connection = new OutboundConnection(socket, { origin: 'http://llm.example', turns, ends: new ConnectionEnds() })
  const start = performance.now()
  while (!turns.isOver) assert.ok(performance.now() - start < 1_000)
  return { socket, connection }
}

test('an answer waits for a later turn where this one has no time left', async () => {
  const { socket, connection } = lateConnection()
  connection.expectAnswer()
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
  connection.expectAnswer()
  connection.noteEnd(new MemoryAccount(1).open('/', new MemoryShare()))
  socket.push(ANSWER)
  assert.equal(String(socket.read()), ANSWER)
})
