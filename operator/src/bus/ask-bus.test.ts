import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { askBus, type BusReply } from './ask-bus.ts'

// Rules: docs/reference/bus.md#connection

const PATIENCE_MS = 120_000
const INFO = 'INFO {"headers":true}\r\n'

/** Asks a server that answers with the texts, which may name the inbox, as it comes. */
async function replyOf(
  send: (socket: Socket, answer: string) => Promise<void>,
  answer: (inbox: string) => string,
): Promise<BusReply> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(INFO)
    socket.once('data', (asked: Buffer) => {
      const [, inbox = ''] = /SUB (\S+) 1/.exec(asked.toString()) ?? []
      void send(socket, answer(inbox)).catch(() => socket.destroy())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  try {
    return await askBus({ address: `127.0.0.1:${port}`, token: 't', subject: 's', timeoutMs: PATIENCE_MS })
  } finally {
    server.close()
  }
}

const inOnePiece = async (socket: Socket, text: string): Promise<void> => void socket.write(text)
const byteByByte = async (socket: Socket, text: string): Promise<void> => {
  socket.setNoDelay(true)
  for (const byte of Buffer.from(text)) {
    socket.write(Buffer.of(byte))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const NOBODY = 'NATS/1.0 503\r\n\r\n'
const ANSWERS: readonly (readonly [what: string, answer: (inbox: string) => string, expected: BusReply])[] = [
  ['a reply', (inbox) => `PING\r\nMSG ${inbox} 1 3\r\n\u00fcx\r\n`, { kind: 'replied', text: '\u00fcx' }],
  ['headers', (inbox) => `HMSG ${inbox} 1 12 16\r\nNATS/1.0\r\n\r\nbody\r\n`, { kind: 'replied', text: 'body' }],
  ['no responder', (inbox) => `HMSG ${inbox} 1 16 16\r\n${NOBODY}\r\n`, { kind: 'nobody' }],
  [
    'a refusal',
    () => "+OK\r\n-ERR 'Authorization Violation'\r\n",
    { kind: 'refused', text: 'Authorization Violation' },
  ],
  ['too many bytes', () => 'x'.repeat(300 * 1024), { kind: 'failed', code: 'TOO_LARGE' }],
]
for (const [what, answer, expected] of ANSWERS) {
  test(`a bus that sends ${what}`, async () => assert.deepEqual(await replyOf(inOnePiece, answer), expected))
  if (expected.kind !== 'failed')
    test(`a bus that sends ${what} byte by byte`, async () =>
      assert.deepEqual(await replyOf(byteByByte, answer), expected))
}

/** Returns the texts that are decoded from bytes meanwhile, as the number of bytes of each. */
async function decodedDuring(work: () => Promise<void>): Promise<readonly number[]> {
  const decoded: number[] = []
  const { concat } = Buffer
  const decode = Buffer.prototype.toString
  Buffer.concat = (list, length) => {
    const all = concat(list, length)
    decoded.push(all.length)
    return all
  }
  Buffer.prototype.toString = function (this: Buffer, encoding?: BufferEncoding, start = 0, end = this.length) {
    decoded.push(end - start)
    return decode.call(this, encoding, start, end)
  }
  try {
    await work()
  } finally {
    Buffer.concat = concat
    Buffer.prototype.toString = decode
  }
  return decoded
}

test('bytes that came before are not decoded again with each chunk', async () => {
  const chunk = 'x'.repeat(64)
  const decoded = await decodedDuring(async () => {
    const reply = await replyOf(
      async (socket, text) => {
        for (let sent = 0; sent < text.length; sent += chunk.length) {
          socket.write(text.slice(sent, sent + chunk.length))
          await new Promise((resolve) => setImmediate(resolve))
        }
        socket.end()
      },
      () => chunk.repeat(256),
    )
    assert.deepEqual(reply, { kind: 'failed', code: 'CLOSED' })
  })
  const bytes = decoded.reduce((sum, one) => sum + one, 0)
  assert.ok(bytes < chunk.length * 256, `${bytes}`)
})

test('lines that answer nothing are not decoded, however many there are', async () => {
  const decoded = await decodedDuring(async () => {
    const reply = await replyOf(
      async (socket, text) => void socket.end(text),
      () => '\r\n'.repeat(10_000),
    )
    assert.deepEqual(reply, { kind: 'failed', code: 'CLOSED' })
  })
  assert.ok(decoded.length < 100, `${decoded.length}`)
})
