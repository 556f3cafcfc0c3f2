import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import type { UpstreamAnswer } from './upstream.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`
const lines = (count: number): string => 'a:\r\n'.repeat(count)

/** Calls an LLM API that sends these bytes and leaves the connection open. */
async function callTo(t: TestContext, bytes: string): Promise<UpstreamAnswer> {
  const llm = createServer((socket) => {
    socket.on('error', () => undefined)
    void once(socket, 'data').then(() => socket.write(bytes))
  })
  const port = await listenUntilEnd(t, llm)
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  return await upstream.send(requestTo(`http://127.0.0.1:${port}`, 60_000), STAYS)
}

/** Returns how the answer ends: `whole`, or the code of its failure. */
async function endOf(answer: UpstreamAnswer): Promise<string> {
  if (answer.kind === 'failed') return answer.code
  const { body } = answer.inbound
  return await new Promise((resolve) => {
    body.attach({ chunk: () => true, end: () => resolve('whole'), failed: resolve })
  })
}

for (const [name, bytes, end] of [
  ['a head of 900 lines', `${OK}Content-Length: 0\r\n${lines(900)}\r\n`, 'whole'],
  ['a head of 1,100 lines', `${OK}Content-Length: 0\r\n${lines(1_100)}\r\n`, 'UPSTREAM_PROTOCOL'],
  ['a head of many lines that does not end', `${OK}${lines(20_000)}`, 'UPSTREAM_PROTOCOL'],
  ['trailers of 900 lines', `${CHUNKED}${lines(900)}\r\n`, 'whole'],
  ['trailers of many lines that do not end', `${CHUNKED}${lines(20_000)}`, 'UPSTREAM_PROTOCOL'],
] as const) {
  test(`an answer with ${name} ends: ${end}`, { timeout: 60_000 }, async (t) => {
    assert.equal(await endOf(await callTo(t, bytes)), end)
  })
}
