import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api, docs/reference/record.md#response

for (const bytes of [20_000, 200_000, 12_000_000]) {
  test(`the record of a caller that leaves after sending a body of ${bytes} bytes has the whole body`, async () => {
    await using cleanup = new AsyncDisposableStack()
    const asked = Promise.withResolvers<Socket>()
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', () => asked.resolve(socket))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    cleanup.defer(async () => {
      ;(await asked.promise).destroy()
      server.close()
    })
    await using scene = await startScene({
      routers: () => [{ path: '/llm/', outbound: { url: `http://127.0.0.1:${address.port}` } }],
    })
    const body = JSON.stringify({ text: 'x'.repeat(bytes) })
    const headers = { 'Content-Type': 'application/json' }
    const leaving = new AbortController()
    const answer = fetch(`${scene.url}/`, { method: 'POST', headers, body, signal: leaving.signal })
    const gone = assert.rejects(answer)
    await asked.promise
    leaving.abort()
    await gone
    const [record] = await scene.records.waitForCount(1)
    assert.equal(JSON.stringify(record?.field('request.ingress_payload')) === body, true)
  })
}
