import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import { limitConnections } from './connection-limit.ts'

const MOST = 10

test('connections that never begin their TLS handshake shut out neither logged-in people nor others', async (t) => {
  await using authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const server = createServer({ cert, key })
  const limit = limitConnections(server, MOST)
  server.on('request', (asked, answer) => {
    if (asked.url === '/in') limit.markLoggedIn(asked.socket)
    answer.end()
  })
  const port = await listen(server)
  const flood: Socket[] = []
  const agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent()] as const
  t.after(() => {
    for (const socket of flood) socket.destroy()
    for (const agent of agents) agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const ask = async (agent: Agent, path: string) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, rejectUnauthorized: false }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    await once(answer, 'end')
    return sent.reusedSocket
  }
  const [kept, other] = agents
  assert.equal(await ask(kept, '/in'), false)
  for (let wave = 0; wave < 3; wave += 1) {
    const sockets = Array.from({ length: 5 * MOST }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    flood.push(...sockets)
    await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)))
    assert.equal(await ask(kept, '/in'), true, 'the connection of a logged-in person stays open')
    assert.equal(await ask(other, '/'), false, 'another connection is admitted')
  }
})
