import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { test } from 'node:test'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const KIB = 1024

test('a connection that still sends its body ends at the first bytes behind the answer', {
  timeout: 60_000,
}, async (t) => {
  const llm = createServer((socket) => {
    socket.once('data', () => socket.pause().write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'))
  })
  const origin = `http://127.0.0.1:${await listenUntilEnd(t, llm)}`
  const accepted = once(llm, 'connection')
  let ours: Socket | undefined
  const note = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'socket' in message && message.socket instanceof Socket)
      ours = message.socket
  }
  diagnostics.subscribe('net.client.socket', note)
  t.after(() => diagnostics.unsubscribe('net.client.socket', note))
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const body = Buffer.alloc(32 * KIB * KIB)
  const { kind } = await upstream.send({ ...requestTo(origin, 60_000), method: 'POST', body }, STAYS)
  assert.equal(kind, 'answered')
  const [theirs] = await accepted
  assert.ok(theirs instanceof Socket && ours !== undefined)
  const flood = (): void => {
    while (!theirs.destroyed && theirs.write(Buffer.alloc(64 * KIB)));
  }
  theirs.on('drain', flood)
  flood()
  await once(ours, 'close')
  assert.ok(ours.bytesRead <= 128 * KIB, `${ours.bytesRead} bytes were read`)
})
