import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { createBodyBudget } from './body-budget.ts'
import { readBody } from './read-body.ts'

test('a body that was read stays whole when its connection fails afterwards', async (t) => {
  const read = Promise.withResolvers<readonly [IncomingMessage, ReturnType<typeof readBody>]>()
  const budget = createBodyBudget(1_000_000)
  const limits = { requestBytes: 1_000_000, idleTimeoutMs: 60_000, budget, open: new Map() }
  const server = createServer((request) => read.resolve([request, readBody(request, limits, { bytes: 0 })]))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const body = 'x'.repeat(200_000)
  // Nobody answers it.
  void fetch(`http://127.0.0.1:${address.port}/`, { method: 'POST', body }).catch(() => undefined)
  const [request, reading] = await read.promise
  const result = await reading
  request.emit('error', new Error('reset'))
  assert.ok(result.kind === 'read')
  assert.equal(result.bytes.toString(), body)
})
