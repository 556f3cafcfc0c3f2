import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#memory

const BUFFERED_BYTES = 1_000_000
/** The bytes that a call counts for its connections. */
const CALL_BYTES = 20 * 1024
/** A router with more calls would hold more than a quarter. */
const CALLS_OF_ROUTER = 12
const ROUTERS = Math.ceil(BUFFERED_BYTES / CALL_BYTES / CALLS_OF_ROUTER)

for (const [name, framing, part] of [
  ['nothing', 'Content-Length: 100', ''],
  ['one byte', 'Content-Length: 100', '{'],
  ['one chunk', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
] as const) {
  test(`callers that send ${name} of their bodies make room for others, with 408`, { timeout: 60_000 }, async () => {
    const paths = Array.from({ length: ROUTERS }, (_, index) => `/slow-${index}/`)
    await using scene = await startScene({
      routers: (url) => ['/llm/', ...paths].map((path) => ({ path, outbound: { url } })),
      config: { limits: { buffered_bytes: BUFFERED_BYTES, request_idle_timeout_ms: 600_000 } },
    })
    scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
    const { port } = scene.gateway
    using opened = new DisposableStack()
    const callers = await Promise.all(
      paths.flatMap((path) =>
        Array.from({ length: CALLS_OF_ROUTER }, async () => {
          const caller = opened.use(await openRawConnection(port))
          await caller.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${part}`)
          return caller
        }),
      ),
    )
    // The last callers find no room, or the first ones have made it where all of them took over a second to come.
    const wasFull = ({ received }: { readonly received: string }): boolean =>
      /"(OVERLOADED|REQUEST_TIMEOUT)"/.test(received)
    while (!callers.some(wasFull)) await new Promise(setImmediate)
    for (const body of ['{}', JSON.stringify('x'.repeat(50_000))]) {
      // No caller is ended within a second after its last byte.
      const end = performance.now() + 20_000
      for (let answered = 0; answered < 2; ) {
        const { status } = await askRaw(port, '/llm/', { method: 'POST', body })
        if (status === 200) answered += 1
        else assert.equal(status, 503)
        assert.ok(performance.now() < end, 'within 20 s')
      }
    }
    const ended = callers.filter(({ received }) => /^HTTP\/1\.1 408 .*"REQUEST_TIMEOUT"/s.test(received))
    assert.ok(ended.length > 0 && ended.length < callers.length / 2, `${ended.length} calls ended`)
  })
}
