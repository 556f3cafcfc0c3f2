import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { drainBody } from './drain-body.ts'
import { trackInboundConnections } from './inbound-connections.ts'
import { type PausableReader, ReadLimiter } from './read-limiter.ts'

const SO_MANY = 16

class Reader implements PausableReader {
  readonly name: string
  readonly isProven: boolean
  readonly #order: string[]
  isPaused = false

  constructor(name: string, isProven: boolean, order: string[]) {
    this.name = name
    this.isProven = isProven
    this.#order = order
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.#order.push(this.name)
  }
}

test('after many pieces other connections wait for the next turn: proven ones resume first, then the others from both ends', async () => {
  const order: string[] = []
  const names = Array.from({ length: 200 }, (_, index) => (index === 150 ? 'known' : String(index)))
  const readers = names.map((name) => new Reader(name, name === 'known', order))
  const turns = new ReadLimiter(() => readers)
  for (let times = 0; times < SO_MANY - 1; times += 1) turns.countPieces()
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  turns.countPieces()
  assert.ok(readers.every(({ isPaused }) => isPaused))
  await nextTurn()
  assert.deepEqual(order.slice(0, 3), ['known', '199', '198'])
  assert.equal(order.length, 65)
  await nextTurn()
  assert.deepEqual(order.slice(65, 67), ['0', '1'])
  await nextTurn()
  await nextTurn()
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  assert.equal(new Set(order).size, readers.length)
  assert.equal(order.length, readers.length)
})

test('of fifty connections with 11,000 pieces each, one turn reads at most two', {
  timeout: 60_000,
}, async (t) => {
  const piecesOfTurns: number[] = []
  let pieces = 0
  const endTurn = (): void => {
    piecesOfTurns.push(pieces)
    pieces = 0
  }
  const answers: ServerResponse[] = []
  const server = createServer()
  const connections = trackInboundConnections(server)
  server.on('request', (request, response) => {
    answers.push(response)
    const connection = connections.of(request.socket)
    drainBody(request, {
      countPiece() {
        if (pieces === 0) setImmediate(endTurn)
        pieces += 1
        connection.countPiece()
      },
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    connections.destroy()
    server.close()
  })
  const body = '1\r\nx\r\n'.repeat(10_500)
  for (let count = 0; count < 50; count += 1) {
    const socket = connect(address.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    sockets.push(socket)
  }
  for (const socket of sockets) socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
  while (answers.length < sockets.length) await nextTurn()
  const most = Math.max(...piecesOfTurns)
  assert.ok(most >= 4_096, `${most} pieces`)
  assert.ok(most <= 4_096 + 11_000, `${most} pieces in one turn`)
})
