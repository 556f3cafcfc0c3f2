import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

/** Bytes that break an established TLS connection, while its TCP connection stays open. */
const BROKEN = {
  'a fatal alert': Buffer.from([0x15, 3, 3, 0, 2, 2, 40]),
  'a record with a wrong checksum': Buffer.concat([Buffer.from([0x17, 3, 3, 0, 100]), Buffer.alloc(100, 7)]),
  'a record that is too long': Buffer.from([0x17, 3, 3, 0xff, 0xff, 1, 2, 3]),
  'an answer without TLS': Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
}

/** The part of an answer that the LLM API sends before the connection breaks. */
type Answering = 'nothing' | 'head' | 'whole'

/** An LLM API behind a relay, which can write into its open connections. */
async function startLlm(t: TestContext, answering: { now: Answering }) {
  await using authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const asked = { next: (): void => undefined }
  const llm = createServer({ cert, key }, (_, response) => {
    if (answering.now === 'whole') return void response.end()
    if (answering.now === 'head') response.writeHead(200, { 'content-length': 10 }).write('abc')
    asked.next()
  })
  const target = await listenUntilEnd(t, llm)
  const near = new Set<Socket>()
  const relay = createTcpServer((socket) => {
    near.add(socket.on('close', () => near.delete(socket)))
    const far = connect(target, '127.0.0.1').on('error', () => undefined)
    socket.pipe(far)
    // The TCP connection stays open, whatever the LLM API does.
    far.pipe(socket, { end: false })
  })
  const port = await listenUntilEnd(t, relay)
  const breakAll = (bytes: Buffer): void => {
    for (const socket of near) socket.write(bytes)
  }
  return { origin: `https://localhost:${port}`, asked, near, breakAll }
}

for (const [name, bytes] of Object.entries(BROKEN)) {
  test(`a call whose TLS connection ends with ${name} fails at once`, { timeout: 30_000 }, async (t) => {
    const llm = await startLlm(t, { now: 'nothing' })
    const upstream = upstreamUnderTest({})
    t.after(() => upstream.close())
    llm.asked.next = () => llm.breakAll(bytes)
    const answer = await upstream.send(requestTo(llm.origin, 60_000), STAYS)
    assert.deepEqual(answer, { kind: 'failed', code: 'UPSTREAM_TLS' })
  })
}

test('an answer whose TLS connection breaks is cut', { timeout: 30_000 }, async (t) => {
  const llm = await startLlm(t, { now: 'head' })
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const answer = await upstream.send(requestTo(llm.origin, 60_000), STAYS)
  assert.ok(answer.kind === 'answered')
  const failed = new Promise((resolve) => {
    const end = (): void => resolve('whole')
    answer.inbound.body.attach({ chunk: () => true, end, failed: resolve })
  })
  llm.breakAll(BROKEN['a fatal alert'])
  assert.equal(await failed, 'UPSTREAM_TLS')
})

test('an idle connection whose TLS breaks takes no further call', { timeout: 30_000 }, async (t) => {
  const answering: { now: Answering } = { now: 'whole' }
  const llm = await startLlm(t, answering)
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const first = await upstream.send(requestTo(llm.origin, 60_000), STAYS)
  assert.ok(first.kind === 'answered')
  first.inbound.body.attach({ chunk: () => true, end: () => undefined, failed: () => undefined })
  const [socket] = llm.near
  assert.ok(socket !== undefined)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  llm.breakAll(BROKEN['a fatal alert'])
  await closed
  const second = await upstream.send(requestTo(llm.origin, 60_000), STAYS)
  assert.equal(second.kind, 'answered')
})
