import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { listen } from '@llm-gateway/test/fake/listen'
import { RecordLink } from './record-link.ts'
import type { BufferRange } from './record-message.ts'

const INFO = { maxPayload: 1_000, headers: true, tls: false, servers: 1, jetStream: true }
const MESSAGE = ['HPUB ', 'subject', '\r\n']

const rangeOf = (text: string): BufferRange => ({ buffer: Buffer.from(text), start: 0, end: text.length })

/** Opens a link to a server that reads nothing. */
async function openLink(onMessages: (link: RecordLink) => void = () => undefined, pingIntervalMs = 60_000) {
  const server = createServer((socket) => socket.on('error', () => undefined).pause())
  const port = await listen(server)
  const socket = connect(port, '127.0.0.1')
  const [accepted] = await once(server, 'connection')
  const link = new RecordLink({
    socket,
    info: INFO,
    pingIntervalMs,
    onRefusedSubject: () => undefined,
    onMessages: () => onMessages(link),
  })
  const close = async (): Promise<void> => {
    link.end()
    accepted.destroy()
    await server[Symbol.asyncDispose]()
  }
  return { link, socket, accepted, [Symbol.asyncDispose]: close }
}

test('the answer to a PING isn’t written into a message of the same turn', async () => {
  await using open = await openLink((link) => link.send(MESSAGE.map(rangeOf)))
  const { socket, accepted } = open
  // TLS may hand over several pieces of one segment in a turn.
  socket.emit('data', Buffer.from('MSG inbox.1 1 2\r\nok\r\n'))
  socket.emit('data', Buffer.from('PING\r\n'))
  const received = once(accepted, 'data')
  accepted.resume()
  assert.equal(String((await received)[0]), `${MESSAGE.join('')}PONG\r\n`)
})

test('the answers to PINGs of a server that doesn’t read take little memory', async () => {
  await using open = await openLink()
  for (let turn = 0; turn < 250; turn += 1) {
    open.socket.emit('data', Buffer.from('PING\r\n'.repeat(10_000)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.ok(open.socket.writableLength < 10_000, `${open.socket.writableLength} bytes`)
})

test('a link whose PINGs stand behind many bytes isn’t ended while a slow path carries the bytes', async () => {
  await using open = await openLink(undefined, 20)
  const { link, socket } = open
  link.send([rangeOf('x'.repeat(32 * 1024 * 1024))])
  await new Promise((resolve) => process.nextTick(resolve))
  const most = socket.writableLength + 10 * 'PING\r\n'.length
  while (link.open && socket.writableLength < most) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(link.open)
})
