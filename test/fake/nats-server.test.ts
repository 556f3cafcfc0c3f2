import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from './bus-client.ts'
import { startNatsServer } from './nats-server.ts'

test('the server requires its token and announces its max_payload', async () => {
  await using server = await startNatsServer({ token: '4k', maxPayload: 2 * 1024 * 1024 })
  await assert.rejects(connectBusClient({ address: server.address, token: 'wrong' }), /Authorization Violation/)
  await using client = await connectBusClient(server)
  assert.equal(client.maxPayload, 2 * 1024 * 1024)
})

test('a killed server restarts on its port with another pid, and clients reconnect', async () => {
  await using server = await startNatsServer()
  const { pid, port } = server
  await using client = await connectBusClient(server)
  const got = Promise.withResolvers<string>()
  await client.subscribe('a', ({ bytes }) => got.resolve(Buffer.from(bytes).toString()))
  await server.kill('SIGKILL')
  await server.restart()
  assert.notEqual(server.pid, pid)
  assert.equal(server.port, port)
  await client.flush()
  client.publish('a', Buffer.from('hello'))
  assert.equal(await got.promise, 'hello')
})

test('a server with jetstream offers its API', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using client = await connectBusClient(server)
  const answer = await client.request('$JS.API.INFO', new Uint8Array())
  assert.equal(JSON.parse(Buffer.from(answer).toString()).streams, 0)
})
