import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer as createNetServer, type Server, type Socket } from 'node:net'
import { platform } from 'node:os'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createAcceptors, listenWithAll } from './acceptors.ts'

const MANY = 300

function closeAfter(t: TestContext, servers: readonly Server[], sockets: readonly Socket[] = []): void {
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })
}

test('a turn accepts many connections', { skip: platform() !== 'linux' && 'ports are shared on Linux' }, async (t) => {
  const server = createServer()
  const acceptors = createAcceptors(server)
  const sockets: Socket[] = []
  closeAfter(t, acceptors, sockets)
  let accepted = 0
  server.on('connection', (socket) => {
    sockets.push(socket)
    accepted += 1
  })
  const port = await listenWithAll(acceptors, 0)
  for (let count = 0; count < MANY; count += 1) sockets.push(connect(port, '127.0.0.1').on('error', () => undefined))
  let most = 0
  while (accepted < MANY) {
    const before = accepted
    await nextTurn()
    most = Math.max(most, accepted - before)
  }
  assert.ok(most >= 8, `${most} connections in a turn`)
})

test('a taken port is refused, whether its sockets share it or not', async (t) => {
  const sharing = createAcceptors(createServer())
  const alone = createNetServer()
  closeAfter(t, [...sharing, alone])
  const shared = await listenWithAll(sharing, 0)
  await assert.rejects(listenWithAll(createAcceptors(createServer()), shared), { code: 'EADDRINUSE' })
  await new Promise<void>((resolve) => alone.listen(0, () => resolve()))
  const address = alone.address()
  assert.ok(typeof address === 'object' && address !== null)
  await assert.rejects(listenWithAll(createAcceptors(createServer()), address.port), { code: 'EADDRINUSE' })
})

for (const [name, server] of [
  ['HTTP', createServer()],
  ['HTTPS', createHttpsServer()],
] as const) {
  test(`the acceptors open connections as the ${name} server does`, () => {
    const settings = createAcceptors(server).map((acceptor) => Reflect.get(acceptor, 'allowHalfOpen'))
    assert.deepEqual(new Set(settings), new Set([name === 'HTTP']))
  })
}

test('a connection that any acceptor took is served', async (t) => {
  const server = createServer((_, response) => response.end('served'))
  const acceptors = createAcceptors(server)
  closeAfter(t, acceptors)
  const port = await listenWithAll(acceptors, 0)
  const answers = Array.from({ length: 100 }, async () =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text(),
  )
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['served']))
})
