import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { listen } from '@llm-gateway/test/fake/listen'
import { busUnderTest, connected, within } from './bus-under-test.ts'

// Rules: docs/reference/bus.md#failures

const MIB = 1024 * 1024
const infoLine = (max_payload: number): string =>
  `INFO ${JSON.stringify({ server_id: 'test', version: '2.10.0', proto: 1, headers: true, max_payload })}\r\n`

/** A bus that answers only the client's first PING by itself. */
async function startSlowServer() {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(infoLine(32 * MIB))
    socket.once('data', () => socket.write('PONG\r\n'))
    socket.resume()
  })
  return {
    place: { hostname: '127.0.0.1', port: await listen(server), token: undefined },
    write: (text: string) => sockets.at(-1)?.write(text),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a call that waited while the bus lowered its limit ends as too large', async () => {
  await using server = await startSlowServer()
  await using bus = busUnderTest(server.place)
  await connected(bus)
  const large = new Uint8Array(8 * MIB)
  // Two fill the part that may be unconfirmed, so that the next one waits.
  const first = [1, 2].map(() => bus.call('llm.gl.a', large, within(60_000)))
  const waiting = bus.call('llm.gl.a', large, within(60_000))
  server.write(`${infoLine(MIB)}PONG\r\n`)
  assert.deepEqual(await waiting, { kind: 'failed', error: 'too large' })
  await bus.close()
  for (const call of first) assert.deepEqual(await call, { kind: 'failed', error: 'disconnected' })
})

test('a refused subject is logged once, and of thousands of subjects 16', async () => {
  await using server = await startSlowServer()
  await using bus = busUnderTest(server.place)
  await connected(bus)
  const refusal = (subject: string): string => `-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`
  server.write(refusal('a').repeat(1_000))
  server.write(Array.from({ length: 1_000 }, (_, number) => refusal(`b${number}`)).join(''))
  const flushed = bus.flush()
  server.write('PONG\r\n')
  assert.equal(await flushed, true)
  await bus.lines.waitForCount(17)
  const subjects = bus.lines.entries
    .filter(({ msg }) => msg === 'bus refused a subject')
    .map(({ fields }) => fields.subject)
  assert.deepEqual(subjects, ['a', ...Array.from({ length: 15 }, (_, number) => `b${number}`)])
})
