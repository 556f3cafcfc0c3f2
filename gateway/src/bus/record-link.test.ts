import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { RecordLink } from './record-link.ts'
import type { BufferRange } from './record-message.ts'

const INFO = { maxPayload: 1_000, headers: true, tls: false, servers: 1, jetStream: true }
const MESSAGE = ['HPUB ', 'subject', '\r\n']

const rangeOf = (text: string): BufferRange => ({ buffer: Buffer.from(text), start: 0, end: text.length })

test('the answer to a PING isn’t written into a message of the same turn', async () => {
  await using server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const socket = connect(address.port, '127.0.0.1')
  const [accepted] = await once(server, 'connection')
  const link = new RecordLink({
    socket,
    info: INFO,
    pingIntervalMs: 60_000,
    onRefusedSubject: () => undefined,
    onMessages: () => link.send(MESSAGE.map(rangeOf)),
  })
  // TLS may hand over several pieces of one segment in a turn.
  socket.emit('data', Buffer.from('MSG inbox.1 1 2\r\nok\r\n'))
  socket.emit('data', Buffer.from('PING\r\n'))
  const [bytes] = await once(accepted, 'data')
  link.end()
  accepted.destroy()
  assert.equal(String(bytes), `${MESSAGE.join('')}PONG\r\n`)
})
