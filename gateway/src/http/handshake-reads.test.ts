import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import { HandshakeReads, MOST_READ } from './handshake-reads.ts'
import { trackInboundConnections } from './inbound-connections.ts'
import { isReading } from './stop-reading.ts'

const LONG_MS = 60_000
const CLIENTS = 60

/** A TLS server, and the sockets that it has accepted. */
async function serverUnderTest(t: TestContext) {
  const authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const server = createHttpsServer({ cert, key }, (_, response) => void response.end('answer'))
  const connections = trackInboundConnections(server)
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => void accepted.push(socket))
  const port = await listen(server)
  t.after(async () => {
    connections.destroy()
    server.close()
    await authority[Symbol.asyncDispose]()
  })
  return { port, accepted, ca: authority.certificate }
}

/** Returns the first message of a TLS client. */
async function clientHello(): Promise<Buffer> {
  return await new Promise((resolve) => {
    const below = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        resolve(chunk)
        done()
      },
    })
    connectTls({ socket: below, servername: 'localhost' }).on('error', () => undefined)
  })
}

async function openClients(t: TestContext, port: number): Promise<readonly Socket[]> {
  const clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'))
  t.after(() => {
    for (const client of clients) client.destroy()
  })
  for (const client of clients) client.on('error', () => undefined)
  await Promise.all(clients.map((client) => once(client, 'connect')))
  return clients
}

/** Turns until `isTrue`. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn()
}

test('where the rest of many hellos comes at once, each turn answers a few of them', {
  timeout: LONG_MS,
}, async (t) => {
  const { port, accepted } = await serverUnderTest(t)
  const hello = await clientHello()
  const clients = await openClients(t, port)
  for (const client of clients) client.write(hello.subarray(0, -1))
  await until(() => accepted.filter(({ bytesRead }) => bytesRead >= hello.length - 1).length === CLIENTS)
  const answered = (): number => accepted.filter(({ bytesWritten }) => bytesWritten > 0).length
  assert.equal(answered(), 0)
  for (const client of clients) client.write(hello.subarray(-1))
  const counts: number[] = []
  await until(() => {
    counts.push(answered())
    return answered() === CLIENTS
  })
  assert.ok(Math.max(...counts.map((count, index) => count - (counts[index - 1] ?? 0))) <= MOST_READ)
})

test('a caller is served while many handshakes stay open', { timeout: LONG_MS }, async (t) => {
  const { port, accepted, ca } = await serverUnderTest(t)
  const hello = await clientHello()
  for (const client of await openClients(t, port)) client.write(hello)
  await until(() => accepted.filter(({ bytesWritten }) => bytesWritten > 0).length === CLIENTS)
  const caller = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca })
  t.after(() => caller.destroy())
  await once(caller, 'secureConnect')
  caller.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [answer]: Buffer[] = await once(caller, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 200/)
})

test('an owner of many open handshakes makes another owner wait for one of them', { timeout: LONG_MS }, async (t) => {
  const { port } = await serverUnderTest(t)
  const [own, ...others] = await openClients(t, port)
  assert.ok(own !== undefined)
  const reads = new HandshakeReads(1)
  for (const client of [...others, own]) client.resume()
  await nextTurn()
  for (const client of others) reads.add(client, 'many')
  reads.add(own, 'one')
  const read = new Set<Socket>()
  await until(() => {
    for (const client of [...others, own]) if (isReading(client)) read.add(client)
    return read.has(own)
  })
  assert.ok(read.size <= 3, `${read.size} were read before`)
})
