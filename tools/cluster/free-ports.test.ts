import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePorts } from './free-ports.ts'

test('ports are free and no two alike', async () => {
  const ports = await freePorts(20)
  assert.equal(new Set(ports).size, 20)
  const server = createServer().listen(ports[0], '127.0.0.1')
  await once(server, 'listening')
  server.close()
})
