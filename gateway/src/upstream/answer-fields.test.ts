import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { type CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import type { CancelSignal, UpstreamAnswer } from './upstream.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`
const lines = (count: number): string => 'a:\r\n'.repeat(count)

/** Lines of 60 KB of white space, which is neither a name nor a value. */
const spaced = (count: number): string => `a:${' '.repeat(60_000)}b\r\n`.repeat(count)

type Calling = {
  readonly account?: CallMemory
  readonly signal?: CancelSignal
  /** Bytes that the LLM API sends once the lines before have been counted. */
  readonly rest?: string
  /** True where the LLM API closes the connection behind its bytes. */
  readonly closes?: boolean
  readonly silenceTimeoutMs?: number
}

/** Calls an LLM API that sends these bytes and leaves the connection open, unless it `closes` the connection. */
async function callTo(t: TestContext, bytes: string, calling: Calling = {}): Promise<UpstreamAnswer> {
  const { account, rest, signal = STAYS, closes = false, silenceTimeoutMs = 60_000 } = calling
  const llm = createServer(async (socket) => {
    socket.on('error', () => undefined)
    await once(socket, 'data')
    socket.write(bytes)
    if (closes) socket.end()
    if (account === undefined || rest === undefined) return
    // Until 900 lines count.
    while (account.bytes < 900 * 200 && !socket.destroyed) await nextTurn()
    socket.write(rest)
  })
  const port = await listenUntilEnd(t, llm)
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const request = requestTo(`http://127.0.0.1:${port}`, 60_000)
  return await upstream.send({ ...request, silenceTimeoutMs, account: account ?? request.account }, signal)
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
  ['much white space in 40 lines', `${OK}${spaced(40)}`, 'UPSTREAM_PROTOCOL'],
  ['trailers of 900 lines', `${CHUNKED}${lines(900)}\r\n`, 'whole'],
  ['trailers of 1,100 lines that arrive at once', `${CHUNKED}${lines(1_100)}\r\n`, 'whole'],
  ['trailers of many lines that do not end', `${CHUNKED}${lines(20_000)}`, 'whole'],
  ['a trailer of 100 KB', `${CHUNKED}${lines(1)}a:${'b'.repeat(100_000)}`, 'whole'],
  ['much white space in 40 trailers', `${CHUNKED}${spaced(40)}`, 'whole'],
] as const) {
  test(`an answer with ${name} ends: ${end}`, { timeout: 60_000 }, async (t) => {
    assert.equal(await endOf(await callTo(t, bytes)), end)
  })
}

for (const [name, trailers, calling] of [
  ['that the connection cuts before the first name', '', { closes: true }],
  ['that the connection cuts within their end', '\r', { closes: true }],
  ['before which nothing comes', '', { silenceTimeoutMs: 100 }],
  ['without a name', ': a\r\n\r\n', {}],
  ['that begin with another byte', '{}\r\n\r\n', {}],
  ['that begin with white space', ' a: b\r\n\r\n', {}],
  ['that end without a line feed', '\ra', {}],
  ['that the connection cuts', lines(900), { closes: true }],
  ['that the connection cuts in a name', 'a', { closes: true }],
  ['behind which nothing comes', 'a: b\r\n', { silenceTimeoutMs: 100 }],
  ['with a malformed line', 'a: b\r\n{}\r\n\r\n', {}],
  ['with the length of another body', 'Content-Length: 5\r\n\r\n', {}],
  ['with the length of another body and no end', 'Content-Length: 5\r\na: b', { closes: true }],
  ['with two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\n', {}],
  ['with a transfer coding', 'Transfer-Encoding: gzip\r\n\r\n', {}],
] as const) {
  test(`an answer before trailers ${name} is whole`, { timeout: 60_000 }, async (t) => {
    assert.equal(await endOf(await callTo(t, `${CHUNKED}${trailers}`, calling)), 'whole')
  })
}

for (const [name, bytes] of [
  ['without a last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`],
  ['with a part of the last chunk', CHUNKED.slice(0, -1)],
  ['with a chunk of zeros', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\n0\r\n\r\n`],
  ['with a shorter body than announced', `${OK}Content-Length: 5\r\n\r\na`],
] as const) {
  test(`an answer ${name} breaks`, { timeout: 60_000 }, async (t) => {
    assert.equal(await endOf(await callTo(t, bytes, { closes: true })), 'UPSTREAM_RESET')
  })
}

for (const [name, bytes] of [
  ['a head', `${OK}Content-Length: 0\r\n${lines(900)}`],
  ['trailers', `${CHUNKED}${lines(900)}`],
] as const) {
  test(`the lines of ${name} count until they have arrived completely`, { timeout: 60_000 }, async (t) => {
    const account = openAccount(1_000_000)
    assert.equal(await endOf(await callTo(t, bytes, { account, rest: '\r\n' })), 'whole')
    assert.equal(account.bytes, 0)
  })
}

test('a call ends with OVERLOADED where the lines of a head find no room', { timeout: 60_000 }, async (t) => {
  const account = openAccount(100_000)
  assert.equal(await endOf(await callTo(t, `${OK}${lines(900)}`, { account })), 'OVERLOADED')
  assert.equal(account.bytes, 0)
})

test('an answer is whole where the lines of its trailers find no room', { timeout: 60_000 }, async (t) => {
  const account = openAccount(100_000)
  assert.equal(await endOf(await callTo(t, `${CHUNKED}${lines(900)}`, { account })), 'whole')
  assert.equal(account.bytes, 0)
})

for (const [name, trailers] of [
  ['nameless', ': a\r\n\r\n'],
  ['too many', lines(20_000)],
  ['malformed', 'a: b\r\n{}\r\n\r\n'],
  ['another length in the', 'Content-Length: 5\r\n\r\n'],
] as const) {
  test(`a connection with ${name} trailers closes and takes no other call`, { timeout: 60_000 }, async (t) => {
    const closings: Promise<unknown>[] = []
    const llm = createServer((socket) => {
      const isFirst = closings.length === 0
      closings.push(new Promise((resolve) => socket.once('close', resolve)))
      socket.on('error', () => undefined)
      socket.on('data', () => socket.write(isFirst ? `${CHUNKED}${trailers}` : `${CHUNKED}\r\n`))
    })
    const origin = `http://127.0.0.1:${await listenUntilEnd(t, llm)}`
    const upstream = upstreamUnderTest({})
    t.after(() => upstream.close())
    for (const connections of [1, 2]) {
      assert.equal(await endOf(await upstream.send(requestTo(origin, 60_000), STAYS)), 'whole')
      assert.equal(closings.length, connections)
    }
    await closings[0]
  })
}

for (const [name, bytes, end] of [
  ['trailers', `${CHUNKED}${lines(900)}\r\n`, 'whole'],
  ['trailers that do not end', `${CHUNKED}${lines(20_000)}`, 'whole'],
  ['many trailers', `${CHUNKED}${lines(1_100)}\r\n`, 'whole'],
  ['a head', `${OK}Content-Length: 0\r\n${lines(900)}\r\n`, 'whole'],
  ['a head of another coding', `${OK}Transfer-Encoding: gzip\r\n${lines(900)}\r\n`, 'UPSTREAM_PROTOCOL'],
  ['a head with too many lines', `${OK}${lines(1_100)}\r\n`, 'UPSTREAM_PROTOCOL'],
] as const) {
  test(`a call that outlives its answer keeps no lines of ${name}`, { timeout: 60_000 }, async (t) => {
    // A call waits for the decoding of its answer, and its signal keeps the listener until then.
    const listeners: (() => void)[] = []
    const signal = { cancelled: false, onCancel: (listener: () => void) => void listeners.push(listener) }
    const before = queryObjects(Buffer, { format: 'count' })
    assert.equal(await endOf(await callTo(t, bytes, { signal })), end)
    assert.equal(listeners.length, 1)
    const kept = queryObjects(Buffer, { format: 'count' }) - before
    assert.ok(kept < 500, `${kept} views of bytes`)
  })
}

function openAccount(bytes: number): CallMemory {
  return new MemoryAccount(bytes).open('/llm/', new MemoryShare())
}
