import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, ErrorCode, type NatsError } from 'nats'
import { startNatsServer } from './nats-server.ts'

test('a server asks for its token and says its max_payload', async () => {
  await using server = await startNatsServer({ token: '4k', maxPayload: 2 * 1024 * 1024 })
  await assert.rejects(connect({ servers: server.address, token: 'wrong', reconnect: false }), (error: NatsError) => {
    return error.code === ErrorCode.AuthorizationViolation
  })
  const client = await connect({ servers: server.address, token: '4k' })
  assert.equal(client.info?.max_payload, 2 * 1024 * 1024)
  await client.close()
})

test('a killed server comes back on its port with another pid', async () => {
  await using server = await startNatsServer()
  const { pid, port } = server
  await server.kill('SIGKILL')
  await assert.rejects(connect({ servers: server.address, token: server.token ?? '', reconnect: false }))
  await server.restart()
  assert.notEqual(server.pid, pid)
  assert.equal(server.port, port)
  const client = await connect({ servers: server.address, token: server.token ?? '' })
  await client.close()
})

test('a server with jetstream offers it', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const client = await connect({ servers: server.address, token: server.token ?? '' })
  const manager = await client.jetstreamManager()
  assert.equal((await manager.getAccountInfo()).streams, 0)
  await client.close()
})
