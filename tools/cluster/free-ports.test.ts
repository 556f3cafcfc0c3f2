import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePorts } from './api-server.ts'

test('freePorts returns distinct free ports', async () => {
  const ports = await freePorts(20)
  assert.equal(new Set(ports).size, 20)
  // Other programs may have taken some of the ports by now, but not all.
  const tried = await Promise.allSettled(ports.map(listenOn))
  assert.ok(tried.some(({ status }) => status === 'fulfilled'))
})

async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
}
