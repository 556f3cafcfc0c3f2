import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Opens a free port of 127.0.0.1 and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

/** Opens a server's port until the test's end, which destroys its connections. */
export async function listenUntilEnd(t: TestContext, server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => undefined))
    socket.on('close', () => open.delete(socket))
  })
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return await listen(server)
}
