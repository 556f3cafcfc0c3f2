import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import type { Trust } from '../outbound-tls.ts'
import { allFailed, DELIVERED } from '../writer.ts'
import { createPostgresWriter } from './postgres-writer.ts'

const ONE = { id: 'one', bytes: Buffer.from('{}') }
const MEBIBYTE = 1024 * 1024
const [READY, AUTHENTICATED] = [message('Z', 'I'), message('R', int32(0))]
const WELCOME = Buffer.concat([AUTHENTICATED, READY])
const ROW = message('D', '\0\x01\0\0\0\x04abcd')
const COLUMN = message('T', `\0\x01name\0${'\0'.repeat(18)}`)

/** Answers to the first query, which the pg package throws on or never finishes to parse. */
const ODD_ANSWERS = {
  'a description of -1 columns': message('T', int16(-1)),
  'a row of -1 values': message('D', int16(-1)),
  'a row whose value is longer than the row': Buffer.concat([COLUMN, message('D', '\0\x02\x3b\x9a\xca\0')]),
  'a copy of -1 columns': message('G', `\0${int16(-1)}`),
  'a description of -1 parameters': message('t', int16(-1)),
  'an error without an end': message('E', 'SERROR'),
  'an error that ends after its last value': message('E', 'SERROR\0'),
  'a notice without an end': message('N', 'S'),
  'a message of length 0': Buffer.from('Z\0\0\0\0'),
}

for (const [title, answer] of Object.entries(ODD_ANSWERS)) {
  test(`${title} breaks the connection, and the next try makes another one`, async (t) => {
    const answers = [answer]
    const port = await serve(t, (socket) => queriesOf(socket, () => socket.write(answers.pop() ?? emptyAnswer())))
    const writer = writerTo(port, t)
    assert.deepEqual(await writer.write([ONE]), allFailed([ONE], { code: 'SQL_BAD_ANSWER', again: true }))
    assert.deepEqual(await writer.write([ONE]), DELIVERED)
  })
}

test('an unknown request for a password breaks the connection, and the next try makes another one', async (t) => {
  const answers = [message('R', int32(99))]
  const port = await serve(t, (socket) => {
    const odd = answers.pop()
    if (odd === undefined) queriesOf(socket, () => socket.write(emptyAnswer()))
    else socket.once('data', () => socket.write(odd))
  })
  const writer = writerTo(port, t)
  assert.equal(await writer.open(), 'BAD_ANSWER')
  assert.deepEqual(await writer.write([ONE]), DELIVERED)
})

test('odd answers break a connection with TLS, too', async (t) => {
  const { ca, answer } = await tlsServer(t)
  for (const [odd, code] of [
    [message('R', int32(99)), 'BAD_ANSWER'],
    [message('E', 'S'), 'BAD_ANSWER'],
    [Buffer.from('N\xff\0\0\0', 'latin1'), 'ANSWER_SIZE'],
  ] as const) {
    const port = await answer(odd)
    assert.equal(await writerTo(port, t, { rejectUnauthorized: true, ca: [ca] }).open(), code)
  }
})

/** The messages that a server sends without an end after the first query. */
const FLOODS = {
  rows: [COLUMN, repeated(ROW)],
  notices: [READY, repeated(message('N', 'SNOTICE\0Mx\0\0'))],
  parameters: [READY, repeated(message('S', 'a\0b\0'))],
  'one message of 4 GiB': [Buffer.from('N\xff\xff\xff\xf0', 'latin1'), Buffer.alloc(64 * 1024, 'A')],
} as const

for (const [title, [first, chunk]] of Object.entries(FLOODS)) {
  test(`a server that sends ${title} without an end is disconnected within a few MiB`, async (t) => {
    let sent = 0
    const port = await serve(t, (socket) =>
      queriesOf(socket, () => {
        socket.write(first)
        const flood = (): void => {
          do sent += chunk.length
          while (!socket.destroyed && sent < 256 * MEBIBYTE && socket.write(chunk))
        }
        socket.on('drain', flood)
        flood()
      }),
    )
    const writer = writerTo(port, t)
    const { failed } = await writer.write([ONE])
    assert.deepEqual(
      failed.map(({ code, again }) => [code, again]),
      [['SQL_ANSWER_SIZE', true]],
    )
    // The rest is what the buffers of both sockets take.
    assert.ok(sent < 64 * MEBIBYTE, String(sent))
  })
}

test('an SQLSTATE of another form is one constant, and the record is tried again', async (t) => {
  for (const code of [`22${'x'.repeat(100_000)}`, '22p02', '22P0\n', 'ENOENT', 'Unknown system error 1', '']) {
    const odd = Buffer.concat([message('E', `SERROR\0C${code}\0Mx\0\0`), READY])
    const port = await serve(t, (socket) => queriesOf(socket, () => socket.write(odd)))
    assert.equal(await writerTo(port, t).open(), 'BAD_ANSWER', code.slice(0, 40))
  }
})

test('a refusal before the first record, such as another sink that makes the same table, delays the record', async (t) => {
  const refusal = Buffer.concat([message('E', 'SERROR\0C23505\0Mx\0\0'), READY])
  const answers = [refusal, refusal]
  const port = await serve(t, (socket) => queriesOf(socket, () => socket.write(answers.pop() ?? emptyAnswer())))
  const writer = writerTo(port, t)
  assert.equal(await writer.open(), '23505')
  assert.deepEqual(await writer.write([ONE]), allFailed([ONE], { code: 'SQL_23505', again: true }))
  assert.deepEqual(await writer.write([ONE]), DELIVERED)
})

test('a connection whose server reports an error between two writes is closed, also when the server leaves it open', async (t) => {
  const sockets: Socket[] = []
  const port = await serve(t, (socket) => {
    sockets.push(socket)
    queriesOf(socket, () => socket.write(emptyAnswer()))
  })
  const writer = writerTo(port, t)
  assert.deepEqual(await writer.write([ONE]), DELIVERED)
  const [first] = sockets
  assert.ok(first)
  const closed = once(first, 'close')
  first.write(message('E', 'SFATAL\0C57P01\0Mx\0\0'))
  await closed
  assert.deepEqual(await writer.write([ONE]), DELIVERED)
  assert.equal(sockets.length, 2)
})

test('answers that are split at any byte, and many of them on one connection, are read', async (t) => {
  let queries = 0
  const notice = message('N', `SNOTICE\0M${'x'.repeat(200_000)}\0\0`)
  const port = await serve(t, (socket) => {
    socket.setNoDelay(true)
    queriesOf(socket, async () => {
      queries += 1
      socket.write(notice)
      for (const byte of emptyAnswer()) {
        await new Promise((resolve) => setImmediate(resolve))
        socket.write(Buffer.of(byte))
      }
    })
  })
  const writer = writerTo(port, t)
  for (let n = 0; n < 5; n++) assert.deepEqual(await writer.write([ONE]), DELIVERED)
  // The look for the table, and BEGIN, INSERT and COMMIT of each write.
  assert.equal(queries, 1 + 5 * 3)
})

test('a large record has more time than a small one', async (t) => {
  const limits: number[] = []
  const port = await serve(t, (socket) => {
    socket.on('data', (chunk) => {
      const [, limit] = /statement_timeout = (\d+)/.exec(chunk.toString('latin1')) ?? []
      if (limit !== undefined) limits.push(Number(limit))
    })
    queriesOf(socket, () => socket.write(emptyAnswer()))
  })
  const writer = writerTo(port, t)
  for (const bytes of [0, 1, 4 * MEBIBYTE]) {
    assert.deepEqual(await writer.write([{ id: 'one', bytes: Buffer.alloc(bytes, ' ') }]), DELIVERED)
  }
  assert.deepEqual(limits, [30_000, 30_001, 62_000])
})

function writerTo(port: number, t: TestContext, tls?: Trust) {
  const place = { host: 'localhost', port, database: 'd', user: 'u', password: 'p', table: 'records' }
  const writer = createPostgresWriter({ ...place, tls })
  t.after(() => writer.close())
  return writer
}

/** Starts a server that ends with the test; returns its port. */
async function serve(t: TestContext, take: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined) // a test's connection may break
    take(socket)
  })
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return await listen(server)
}

/** Welcomes the client and calls back at the end of each query. */
function queriesOf(socket: Socket, answer: () => void): void {
  let rest = Buffer.alloc(0)
  let isWelcome = false
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk])
    if (!isWelcome) {
      isWelcome = true
      rest = Buffer.alloc(0)
      socket.write(WELCOME)
      return
    }
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const kind = String.fromCharCode(rest[0] ?? 0)
      rest = rest.subarray(rest.readUInt32BE(1) + 1)
      // A simple query, or the end of an extended one.
      if (kind === 'Q' || kind === 'S') answer()
    }
  })
}

/** Starts servers with TLS that answer the client's first message with the given bytes. */
async function tlsServer(t: TestContext) {
  const authority = await createAuthority()
  t.after(() => authority.close())
  const { privateKey: key, certificate: cert } = await authority.issue('postgres')
  return {
    ca: authority.certificate.toString(),
    answer: (odd: Buffer) =>
      serve(t, (socket) => {
        socket.once('data', () => {
          socket.write('S')
          const secure = new TLSSocket(socket, { isServer: true, key, cert })
          secure.on('error', () => undefined) // a test's connection may break
          secure.once('data', () => secure.write(odd))
        })
      }),
  }
}

/** An answer without rows, to any query. */
function emptyAnswer(): Buffer {
  return Buffer.concat([message('1', ''), message('2', ''), message('n', ''), message('C', 'SELECT 0\0'), READY])
}

function repeated(bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: 2_000 }, () => bytes))
}

function message(letter: string, body: string): Buffer {
  const bytes = Buffer.from(`${letter}\0\0\0\0${body}`, 'latin1')
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}

function int16(value: number): string {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes.toString('latin1')
}

function int32(value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes.toString('latin1')
}
