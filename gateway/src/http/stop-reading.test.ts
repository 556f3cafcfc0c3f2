import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const MIB = 1024 * 1024

test('behind more pipelined heads than a connection may hold, no body is read', { timeout: 60_000 }, async (t) => {
  const { server, open, connections } = await trackedServerUnderTest(t)
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  const answers: (() => void)[] = []
  let whole = 0
  server.on(
    'request',
    connections.oneByOne((request, response) => {
      answers.push(() => {
        request.resume()
        request.on('end', () => {
          whole += 1
          response.end()
        })
      })
      connections.of(request.socket).releaseBody()
    }),
  )
  const client = open()
  client.resume()
  const large = `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'h'.repeat(12_000)}\r\n\r\n`
  client.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${large}${large}`)
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${20 * MIB}\r\n\r\n`)
  client.write(Buffer.alloc(20 * MIB, 'x'))
  while (answers.length === 0) await pause(5)
  await pause(500)
  const [socket] = accepted
  assert.ok(socket !== undefined)
  assert.ok(socket.bytesRead < MIB, `${socket.bytesRead} bytes read`)
  // Once the calls are answered, the rest is read too.
  for (let answered = 0; answered < 4; answered += 1) {
    while (answers.length === 0) await pause(1)
    answers.shift()?.()
  }
  while (whole < 4) await pause(5)
  client.end()
  await once(client, 'close')
})
