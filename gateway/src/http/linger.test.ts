import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ServerCall } from './call.ts'
import { answerClientErrors } from './client-errors.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

/** A server that refuses all bodies with 404 and lingers for longer than a test takes. */
async function refusingServer(t: TestContext, { drains = false } = {}) {
  const tracked = await trackedServerUnderTest(t, { lingerMs: 60_000 })
  const { server, connections, open } = tracked
  const requests: WeakRef<IncomingMessage>[] = []
  server.on(
    'request',
    connections.oneByOne((request, response) => {
      const connection = connections.of(request.socket)
      if (connection.closes) return
      requests.push(new WeakRef(request))
      const options = { target: '/', connection, connectionBytes: 0, draining: () => drains }
      const call = new ServerCall(request, response, options)
      call.refuseBody()
      call.createReply({ canonical: 'Session', value: 'one' }, 60_000).send(404, [], Buffer.from('refused'))
    }),
  )
  const accepted = once(server, 'connection')
  const caller = open()
  const [socket]: Socket[] = await accepted
  assert.ok(socket !== undefined)
  return { ...tracked, caller, socket, requests }
}

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n'

test('a connection that stays open behind a refused body keeps nothing of its request', {
  timeout: 60_000,
}, async (t) => {
  const { caller, socket, requests } = await refusingServer(t)
  caller.write(`${HEAD}\r\n`)
  await once(caller, 'data')
  caller.write('x')
  for (let turns = 0; turns < 100 && requests[0]?.deref() !== undefined; turns += 1) {
    await nextTurn()
    assert.ok(typeof collectGarbage === 'function')
    collectGarbage()
  }
  assert.deepEqual([requests.length, requests[0]?.deref() === undefined, socket.destroyed], [1, true, false])
})

test('a refused body that breaks while its connection lingers leaves the answer to its caller', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, caller, socket } = await refusingServer(t)
  answerClientErrors(server, connections, {
    session: () => ({ canonical: 'Session', value: 'one' }),
    onAnswered: () => assert.fail('a second answer'),
  })
  caller.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  while (!connections.of(socket).lingers) await nextTurn()
  for (const part of ['no chunk\r\n', 'nor another\r\n']) {
    const failed = once(server, 'clientError')
    caller.write(part)
    await failed
    assert.equal(socket.destroyed, false)
  }
  caller.end()
  const [answer]: Buffer[] = await once(caller, 'data')
  assert.match(String(answer), /refused/)
  while (!socket.destroyed) await nextTurn()
})

test('a connection that is ended to make room does not linger', { timeout: 60_000 }, async (t) => {
  const { caller, connections, socket } = await refusingServer(t)
  caller.write(`${HEAD}\r\n`)
  await once(caller, 'data')
  const connection = connections.of(socket)
  connection.end()
  assert.equal(connection.lingers, false)
  while (!socket.destroyed) await nextTurn()
})

test('behind a refused body that arrives while the connection lingers, no further call begins', {
  timeout: 60_000,
}, async (t) => {
  const { caller, socket, requests } = await refusingServer(t, { drains: true })
  caller.write(`${HEAD}\r\n`)
  await once(caller, 'data')
  const closed = once(socket, 'close')
  caller.write(`x${HEAD}\r\nx`)
  await closed
  assert.equal(requests.length, 1)
})

test('a refused request whose body does not arrive keeps no header lines while its connection stays open', {
  timeout: 60_000,
}, async (t) => {
  const { caller, socket, requests } = await refusingServer(t)
  caller.write(`${HEAD}${'a:b\r\n'.repeat(100)}\r\n`)
  await once(caller, 'data')
  const request = requests[0]?.deref()
  assert.deepEqual([request?.complete, socket.destroyed], [false, false])
  assert.deepEqual([request?.rawHeaders, Object.keys(request?.headers ?? { none: '' })], [[], []])
})
