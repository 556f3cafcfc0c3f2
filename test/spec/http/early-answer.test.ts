import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#bodies, docs/reference/http.md#connections-to-the-llm-api

const BODY_BYTES = 12 * 1024 * 1024
// Without the keep-alive hint the gateway would close the idle connection after 4 s, with unread bytes of the body.
const ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nKeep-Alive: timeout=600\r\nContent-Length: 2\r\n\r\n{}'

test('an LLM API that answers before it has read the body still gets the whole body, even after the record was published', async () => {
  const taken: Buffer[] = []
  const sockets: Socket[] = []
  await using cleanup = new AsyncDisposableStack()
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', (head: Buffer) => {
      taken.push(head)
      socket.pause()
      socket.write(ANSWER)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  cleanup.defer(() => {
    for (const each of sockets) each.destroy()
    server.close()
  })
  assert.ok(typeof address === 'object' && address !== null)
  await using scene = await startScene({
    routers: () => [{ path: '/llm/', outbound: { url: `http://127.0.0.1:${address.port}` } }],
  })
  const text = Array.from({ length: BODY_BYTES / 16 }, (_, index) => String(index).padStart(15, '.')).join(' ')
  const body = JSON.stringify({ text })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${scene.url}/`, { method: 'POST', headers, body })
  assert.equal(await answer.text(), '{}')
  const record = await scene.recordOf(answer)
  assert.equal(JSON.stringify(record.field('request.ingress_payload')) === body, true)

  const [socket] = sockets
  assert.ok(socket)
  const whole = new Promise<Buffer>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      taken.push(chunk)
      const bytes = Buffer.concat(taken)
      const start = bytes.indexOf('\r\n\r\n') + 4
      if (bytes.length - start >= body.length) resolve(bytes.subarray(start))
    })
  })
  socket.resume()
  assert.equal((await whole).equals(Buffer.from(body)), true)
})
