// The read limiter between a server's real sockets.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { drainBody } from './drain-body.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

test('of twenty connections with 11,000 pieces each, one turn reads at most two', {
  timeout: 60_000,
}, async (t) => {
  const piecesOfTurns: number[] = []
  let pieces = 0
  const endTurn = (): void => {
    piecesOfTurns.push(pieces)
    pieces = 0
  }
  const answers: ServerResponse[] = []
  const { server, connections, sockets, open } = await trackedServerUnderTest(t)
  server.on('request', (request, response) => {
    answers.push(response)
    const connection = connections.of(request.socket)
    drainBody(request, {
      countPiece(bytes) {
        if (pieces === 0) setImmediate(endTurn)
        pieces += 1
        connection.countPiece(bytes)
      },
    })
  })
  const body = '1\r\nx\r\n'.repeat(10_500)
  for (let count = 0; count < 20; count += 1) await once(open(), 'connect')
  for (const socket of sockets) socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
  while (answers.length < sockets.length) await nextTurn()
  const most = Math.max(...piecesOfTurns)
  assert.ok(most >= 4_096, `${most} pieces`)
  assert.ok(most <= 4_096 + 11_000, `${most} pieces in one turn`)
})

for (const [how, end] of [
  ['are reset', (socket: Socket) => void socket.resetAndDestroy()],
  ['are closed', (socket: Socket) => void socket.destroy()],
] as const) {
  for (const calls of [0, 1]) {
    test(`where many connections with ${calls} calls ${how} at once, each turn ends some of them`, async (t) => {
      const { server, connections, open } = await trackedServerUnderTest(t)
      server.on(
        'request',
        connections.oneByOne((request, response) => {
          request.resume()
          response.end()
        }),
      )
      const count = 600
      let answered = 0
      let ended = 0
      server.on('connection', (socket) => socket.on('close', () => (ended += 1)))
      const sockets = Array.from({ length: count }, () => open().on('data', () => (answered += 1)))
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      if (calls > 0) for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n')
      while (answered < calls * count) await nextTurn()
      // Another process would end them all at one moment.
      for (const socket of sockets) end(socket)
      const counts: number[] = []
      while (ended < count) {
        await nextTurn()
        counts.push(ended)
      }
      const most = Math.max(...counts.map((now, index) => now - (counts[index - 1] ?? 0)))
      assert.ok(most <= 256, String(most))
    })
  }
}
