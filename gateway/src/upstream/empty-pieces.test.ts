import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

const PIECES = ['01234', '56789', 'abcde']
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n'
/** More than the body has. A reader of empty pieces would never let the event loop go on. */
const MOST_PIECES = 20

test('a reader that pauses at each piece and goes on at once gets no empty pieces', { timeout: 30_000 }, async (t) => {
  const unsent = [...PIECES]
  const llm = { sendNext: (): void => undefined }
  const server = createServer((socket) => {
    llm.sendNext = () => void socket.write(unsent.shift() ?? '')
    socket.once('data', () => {
      socket.write(HEAD)
      llm.sendNext()
    })
  })
  const port = await listenUntilEnd(t, server)
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const answer = await upstream.send(requestTo(`http://127.0.0.1:${port}`, 20_000), STAYS)
  assert.ok(answer.kind === 'answered')
  const { body } = answer.inbound
  const pieces: string[] = []
  await new Promise<void>((resolve, reject) => {
    body.attach({
      chunk(bytes) {
        pieces.push(bytes.toString())
        if (bytes.length > 0) setImmediate(() => llm.sendNext())
        // A write of no bytes ends before the next turn.
        if (pieces.length < MOST_PIECES) process.nextTick(() => body.resume())
        else body.abort()
        return false
      },
      end: resolve,
      failed: reject,
    })
  }).catch(() => undefined)
  assert.deepEqual(pieces, PIECES)
})
