import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { createJsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, Share } from '../memory/memory-account.ts'
import { readBody } from './read-body.ts'

test('a body that was read stays whole when its connection fails afterwards', async (t) => {
  const read = Promise.withResolvers<readonly [IncomingMessage, ReturnType<typeof readBody>]>()
  const limits = {
    requestBytes: 1_000_000,
    requestIdleTimeoutMs: 60_000,
    requestBodyTimeoutMs: 60_000,
    jsonDepth: 1_000,
  }
  const holding = new MemoryAccount(1_000_000).open('/llm/', new Share())
  const into = { limits, holding, json: createJsonEngine(), open: new Map() }
  const server = createServer((request) => read.resolve([request, readBody(request, into)]))
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
