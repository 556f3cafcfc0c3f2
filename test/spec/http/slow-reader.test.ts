import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openRawConnection, type RawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#timeouts

/** Long enough, because the system reports sent bytes only in steps of a third of its 4 MiB buffer. */
const IDLE_MS = 3_000
const BYTES = 8_000_000
let scene: Scene

before(async () => {
  scene = await startScene({ config: { limits: { request_idle_timeout_ms: IDLE_MS } } })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.requests.clear()
  scene.records.clear()
  scene.llm.respond(() => ({ kind: 'answer', body: ['x'.repeat(BYTES)] }))
})

const body = JSON.stringify('x'.repeat(BYTES))
const requests: readonly (readonly [name: string, request: string])[] = [
  ['an answer that passes', 'GET /llm/x HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['the end of an answer', `POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
]

/** Reads `bytesPerSecond` in steps of 20 ms until `bytes` have come or the connection has ended. */
function readSlowly({ socket }: RawConnection, bytesPerSecond: number, bytes: number): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now()
    let read = 0
    const settle = (): void => {
      clearInterval(timer)
      resolve(read)
    }
    const timer = setInterval(() => {
      // A busy machine skips steps, which a later step makes up for.
      const credit = Math.floor(((performance.now() - began) / 1_000) * bytesPerSecond) - read
      const chunk: unknown = socket.read(Math.min(credit, socket.readableLength))
      if (!Buffer.isBuffer(chunk)) return
      read += chunk.length
      if (read >= bytes) settle()
    }, 20)
    socket.on('close', settle)
  })
}

/** Sends a request on a new connection and reads nothing. */
async function ask(request: string): Promise<RawConnection> {
  const caller = await openRawConnection(scene.gateway.port)
  caller.socket.removeAllListeners('data')
  caller.socket.on('readable', () => undefined)
  await caller.send(request)
  return caller
}

for (const [name, request] of requests) {
  test(`a caller that reads steadily keeps its connection, however slowly: ${name}`, async () => {
    using caller = await ask(request)
    assert.ok((await readSlowly(caller, 800_000, BYTES)) >= BYTES)
  })

  test(`a caller that reads nothing loses its connection, even while it sends: ${name}`, async () => {
    using caller = await ask(request)
    await scene.records.waitForCount(1)
    // An empty line before a request is ignored; on a closed connection it causes a reset.
    const sending = setInterval(() => caller.socket.write('\r\n'), 100)
    await new Promise((resolve) => caller.socket.once('close', resolve))
    clearInterval(sending)
  })
}
