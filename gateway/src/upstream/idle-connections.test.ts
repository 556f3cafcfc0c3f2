import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import type { Upstream } from './upstream.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

/** Calls an LLM API once; returns both sides of the idle connection. */
async function callOnce(t: TestContext, upstream: Upstream) {
  const llm = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  })
  const origin = `http://127.0.0.1:${await listenUntilEnd(t, llm)}`
  const accepted = once(llm, 'connection')
  const opened = noteOpened(t)
  assert.equal(await kindOf(upstream, origin), 'answered')
  const [theirs] = await accepted
  const [ours] = opened
  assert.ok(theirs instanceof Socket && ours !== undefined)
  return { origin, ours, theirs }
}

async function kindOf(upstream: Upstream, origin: string): Promise<string> {
  const { kind } = await upstream.send(requestTo(origin, 60_000), STAYS)
  return kind
}

for (const order of ['before', 'behind'] as const) {
  test(`a call ${order} many session tickets in a turn sees the end of its idle connection`, {
    timeout: 60_000,
  }, async (t) => {
    const upstream = upstreamUnderTest({})
    t.after(() => upstream.close())
    const flooding = await callOnce(t, upstream)
    const ending = await callOnce(t, upstream)
    await nextTurn()
    const before = order === 'before' ? kindOf(upstream, ending.origin) : undefined
    for (let tickets = 0; tickets < 64; tickets += 1) flooding.ours.emit('session', Buffer.alloc(1))
    ending.theirs.destroy()
    assert.equal(await (before ?? kindOf(upstream, ending.origin)), 'answered')
    assert.ok(ending.ours.destroyed)
  })
}

for (const [name, end] of [
  ['is closed', (theirs: Socket) => theirs.end()],
  ['is reset', (theirs: Socket) => theirs.resetAndDestroy()],
  ['brings an answer', (theirs: Socket) => theirs.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
  ['brings other bytes', (theirs: Socket) => theirs.write('{}')],
] as const) {
  test(`a call whose idle connection ${name} in the same turn gets another one`, { timeout: 60_000 }, async (t) => {
    const upstream = upstreamUnderTest({})
    t.after(() => upstream.close())
    const { origin, ours, theirs } = await callOnce(t, upstream)
    await nextTurn()
    const call = kindOf(upstream, origin)
    end(theirs)
    assert.equal(await call, 'answered')
    assert.ok(ours.destroyed)
  })
}

for (const protocol of ['http', 'https'] as const)
  for (const size of [0, 10, 1_000_000])
    test(`a call of ${size} bytes over ${protocol} whose idle connection is reset before the write gets another one`, {
      timeout: 60_000,
    }, async (t) => {
      const { origin, connections, bodies } = await openLlm(t, protocol)
      const upstream = upstreamUnderTest({})
      t.after(() => upstream.close())
      assert.equal(await kindOf(upstream, origin), 'answered')
      await nextTurn()
      // undici looks at the connection for a turn, and writes at its end.
      setImmediate(() => connections[0]?.resetAndDestroy())
      const body = Buffer.alloc(size, 'x')
      const { kind } = await upstream.send({ ...requestTo(origin, 60_000), method: 'POST', body }, STAYS)
      assert.deepEqual([kind, connections.length, bodies], ['answered', 2, [0, size]])
    })

test('a call that waits for idle connections is made where its upstream is closed meanwhile', {
  timeout: 60_000,
}, async (t) => {
  const upstream = upstreamUnderTest({})
  const flooding = await callOnce(t, upstream)
  const kept = await callOnce(t, upstream)
  await nextTurn()
  for (let tickets = 0; tickets < 64; tickets += 1) flooding.ours.emit('session', Buffer.alloc(1))
  const waiting = kindOf(upstream, kept.origin)
  const closed = upstream.close()
  assert.equal(await waiting, 'answered')
  await closed
})

test('of a thousand idle connections that close at one moment, a turn ends a few, and a call meets none of them', {
  timeout: 60_000,
}, async (t) => {
  // More than the system tells at one look.
  const count = 1_300
  const upstream = upstreamUnderTest({})
  t.after(() => upstream.close())
  const llm = new Worker(new URL('./fixture/closing-llm.ts', import.meta.url), { workerData: count })
  t.after(() => llm.terminate())
  const [port] = await once(llm, 'message')
  const opened = noteOpened(t)
  const origin = `http://127.0.0.1:${port}`
  const kinds = await Promise.all(Array.from({ length: count }, () => kindOf(upstream, origin)))
  assert.deepEqual([new Set(kinds), opened.length], [new Set(['answered']), count])
  const idle = [...opened]
  const open = (): number => idle.filter(({ destroyed }) => !destroyed).length
  let call: Promise<string> | undefined
  // The call comes among the ends, in the turn in which the system tells the first of them.
  llm.on('message', () => {
    call = kindOf(upstream, origin)
  })
  llm.postMessage('close')
  let most = 0
  for (let before = open(); before > 0; ) {
    await nextTurn()
    const now = open()
    most = Math.max(most, before - now)
    before = now
  }
  assert.ok(most <= 64, `${most} connections ended in one turn`)
  while (call === undefined) await nextTurn()
  assert.equal(await call, 'answered')
})

/** Opens an LLM API; returns its side of each connection and the bytes of each request's body. */
async function openLlm(t: TestContext, protocol: 'http' | 'https') {
  const bodies: number[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    let bytes = 0
    request.on('data', ({ length }: Buffer) => {
      bytes += length
    })
    request.on('end', () => {
      bodies.push(bytes)
      response.end()
    })
  }
  const server = protocol === 'http' ? createHttpServer(answer) : createHttpsServer(await certificate(), answer)
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    connections.push(socket)
  })
  return { origin: `${protocol}://127.0.0.1:${await listenUntilEnd(t, server)}`, connections, bodies }
}

async function certificate() {
  await using authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  return { cert, key }
}

/** Returns the sockets that this process connects, as they are made. */
function noteOpened(t: TestContext): readonly Socket[] {
  const opened: Socket[] = []
  const note = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'socket' in message && message.socket instanceof Socket)
      opened.push(message.socket)
  }
  diagnostics.subscribe('net.client.socket', note)
  t.after(() => diagnostics.unsubscribe('net.client.socket', note))
  return opened
}
