import assert from 'node:assert/strict'
import { createServer, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { ConnectionAttempt } from './connection-attempt.ts'
import { createDenyList } from './deny-list.ts'
import { OwnEnds } from './own-ends.ts'
import type { CancelSignal, Upstream, UpstreamAnswer } from './upstream.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const CALLS = 20

/** Starts a server that accepts connections and says nothing; returns its port and its open connections. */
async function startMute(t: TestContext): Promise<{ readonly port: number; readonly open: ReadonlySet<Socket> }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.resume())
    socket.on('close', () => open.delete(socket))
  })
  return { port: await listenUntilEnd(t, server), open }
}

function call(upstream: Upstream, origin: string, signal: CancelSignal): Promise<UpstreamAnswer> {
  return upstream.send(requestTo(origin, 60_000), signal)
}

for (const [name, protocol, through] of [
  ['a handshake', 'https:', 'nothing'],
  ['a tunnel for http', 'http:', 'a proxy'],
  ['a tunnel for https', 'https:', 'a proxy'],
] as const) {
  test(`a caller that leaves during ${name} ends the attempt to connect`, { timeout: 30_000 }, async (t) => {
    const { port, open } = await startMute(t)
    const url = new URL(`http://127.0.0.1:${port}`)
    const upstream = upstreamUnderTest(
      through === 'nothing' ? {} : { deny: createDenyList(['10.9.0.0/16']), proxyFor: () => url },
    )
    const leave: (() => void)[] = []
    const signal = { cancelled: false, onCancel: (listener: () => void) => void leave.push(listener) }
    const calls = Array.from({ length: CALLS }, () => call(upstream, `${protocol}//127.0.0.1:${port}`, signal))
    while (open.size < CALLS) await nextTurn()
    for (const each of leave.slice(1)) each()
    while (open.size > 1) await nextTurn()
    leave[0]?.()
    // The end of the upstream waits for no attempt.
    await upstream.close()
    for (const answer of await Promise.all(calls)) assert.deepEqual(answer, { kind: 'failed', code: 'UPSTREAM_RESET' })
  })
}

test('a call of a caller that has left opens no connection', async (t) => {
  const { port, open } = await startMute(t)
  const upstream = upstreamUnderTest({})
  const gone = { cancelled: true, onCancel: (listener: () => void) => listener() }
  const answer = await call(upstream, `http://127.0.0.1:${port}`, gone)
  assert.deepEqual(answer, { kind: 'failed', code: 'UPSTREAM_RESET' })
  await upstream.close()
  assert.equal(open.size, 0)
})

test('where hundreds of attempts to connect are late at once, some calls fail in each turn', {
  timeout: 30_000,
}, async (t) => {
  const { port } = await startMute(t)
  const upstream = upstreamUnderTest({ connectTimeoutMs: 1_000 })
  let failed = 0
  const calls = Array.from({ length: 300 }, async () => {
    const answer = await call(upstream, `https://127.0.0.1:${port}`, STAYS)
    failed += 1
    return answer
  })
  let most = 0
  for (let before = 0; before < calls.length; ) {
    await nextTurn()
    most = Math.max(most, failed - before)
    before = failed
  }
  assert.ok(most <= 64, `${most} calls failed in one turn`)
  for (const answer of await Promise.all(calls)) assert.deepEqual(answer, { kind: 'failed', code: 'UPSTREAM_TIMEOUT' })
  await upstream.close()
})

for (const [name, end] of [
  ['are refused', (attempt: ConnectionAttempt) => attempt.end(new Error('refused'), null)],
  [
    'succeed, and whose connections break',
    (attempt: ConnectionAttempt) => {
      const socket = new Socket()
      attempt.end(null, socket)
      socket.destroy(new Error('broken'))
    },
  ],
] as const)
  test(`100 attempts that ${name} at one moment end in several turns`, async () => {
    const ends = new OwnEnds(Symbol('end'))
    let ended = 0
    const note = (): void => {
      ended += 1
    }
    const limits = { origin: 'http://llm.example', timeoutMs: 60_000, ends }
    const attempts = Array.from({ length: 100 }, () => new ConnectionAttempt(note, limits))
    for (const attempt of attempts) end(attempt)
    assert.equal(ended, 24)
    await nextTurn()
    assert.equal(ended, 48)
    while (ended < 100) await nextTurn()
  })
