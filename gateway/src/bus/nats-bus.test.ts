import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { startTcpProxy } from '@llm-gateway/test/fake/tcp-proxy'
import { watchTasks } from '../work/tasks-under-test.ts'
import type { Bus, CallOutcome } from './bus.ts'
import { busUnderTest, connected, disconnected, silentServer, within } from './bus-under-test.ts'
import { callHeaderBytes } from './call-headers.ts'

// Rules: docs/reference/bus.md#failures, docs/reference/bus.md#request, docs/reference/http.md#without-the-bus

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (array: Uint8Array): string => new TextDecoder().decode(array)

test('timeout, no responders, disconnected and too large are different outcomes', async () => {
  await using server = await startNatsServer({ maxPayload: 64 * 1024 })
  await using client = await connectBusClient(server)
  await client.subscribe('llm.gl.silent', () => undefined)
  await client.subscribe('llm.gl.echo', (message) => message.reply(message.bytes))
  const bus = busUnderTest(server)
  assert.deepEqual(await bus.call('llm.gl.echo', bytes('{}'), within(20_000)), {
    kind: 'failed',
    error: 'disconnected',
  })
  await connected(bus)
  assert.equal(bus.maxPayload, 64 * 1024)

  const reply = await bus.call('llm.gl.echo', bytes('{"a":1}'), within(20_000))
  assert.equal(reply.kind === 'reply' && text(reply.bytes), '{"a":1}')
  const empty = await bus.call('llm.gl.echo', bytes(''), within(20_000))
  assert.equal(empty.kind === 'reply' && empty.bytes.length, 0)
  assert.deepEqual(await bus.call('llm.gl.nobody', bytes('{}'), within(60_000)), {
    kind: 'failed',
    error: 'no responders',
  })
  assert.deepEqual(await bus.call('llm.gl.silent', bytes('{}'), within(20)), { kind: 'failed', error: 'timeout' })
  const large = new Uint8Array(64 * 1024 - callHeaderBytes(within(1).router) + 1)
  assert.deepEqual(await bus.call('llm.gl.echo', large, within(20_000)), { kind: 'failed', error: 'too large' })
  assert.equal((await bus.call('llm.gl.echo', large.subarray(1), within(20_000))).kind, 'reply')

  await bus.close()
  assert.deepEqual(await bus.call('llm.gl.echo', bytes('{}'), within(20_000)), {
    kind: 'failed',
    error: 'disconnected',
  })
})

test('each call carries the name of its router', async () => {
  await using server = await startNatsServer()
  await using client = await connectBusClient(server)
  await using bus = busUnderTest(server)
  await connected(bus)
  const routers: (string | undefined)[] = []
  await client.subscribe('llm.gl.router', (message) => {
    routers.push(message.router)
    message.reply(message.bytes)
  })
  for (const router of ['/a/', '/b/', '/b/', '/a/']) {
    assert.equal((await bus.call('llm.gl.router', bytes('{}'), { timeoutMs: 20_000, router })).kind, 'reply')
  }
  assert.deepEqual(routers, ['/a/', '/b/', '/b/', '/a/'])
})

test('each call carries its deadline', async () => {
  await using server = await startNatsServer()
  await using client = await connectBusClient(server)
  await using bus = busUnderTest(server)
  await connected(bus)
  const deadlines: (string | undefined)[] = []
  await client.subscribe('llm.gl.deadline', (message) => {
    deadlines.push(message.deadline)
    message.reply(message.bytes)
  })
  const before = Date.now()
  for (const timeoutMs of [20_000, 600_000, Number.MAX_SAFE_INTEGER]) {
    assert.equal((await bus.call('llm.gl.deadline', bytes('{}'), within(timeoutMs))).kind, 'reply')
  }
  const after = Date.now()
  for (const [index, limitMs] of [20_000, 600_000, 2 ** 31 - 1].entries()) {
    const deadline = Number(deadlines[index])
    assert.ok(deadline >= before + limitMs && deadline <= after + limitMs, `${deadlines[index]}`)
  }
})

for (const [name, headers] of [
  ['has a space', 'A B: x\r\n'],
  ['is empty', ': x\r\n'],
  ['is not ASCII', 'ä: x\r\n'],
  ['stands beside 20,000 others', Array.from({ length: 20_000 }, (_, at) => `h${at}:\r\n`).join('')],
] as const) {
  test(`a reply with a header whose name ${name} counts as its bytes, and later replies arrive`, async () => {
    await using server = await startNatsServer()
    await using client = await connectBusClient(server)
    await using bus = busUnderTest(server)
    await connected(bus)
    await client.subscribe('llm.gl.good', (message) => message.reply(message.bytes))
    using _ = rawProcessor(server, 'llm.gl.hostile', `NATS/1.0\r\n${headers}\r\n`)
    await assertShortTurns(50, async () => {
      using tasks = watchTasks()
      const reply = await callUntilAnswered(bus, 'llm.gl.hostile')
      assert.equal(reply.kind === 'reply' && reply.bytes.length, 0)
      assert.equal((await bus.call('llm.gl.good', bytes('{}'), within(20_000))).kind, 'reply')
      return tasks.ms
    })
  })
}

/** Repeats a call until its processor has subscribed. */
async function callUntilAnswered(bus: Bus, subject: string): Promise<CallOutcome> {
  for (;;) {
    const outcome = await bus.call(subject, bytes('{}'), within(20_000))
    if (outcome.kind === 'reply' || outcome.error !== 'no responders') return outcome
  }
}

/** A processor without the library, whose replies are the given headers. */
function rawProcessor(server: NatsServer, subject: string, headers: string): Disposable {
  const socket = createConnection(server.port, server.hostname)
  const bytesOf = Buffer.byteLength(headers)
  socket.on('data', (chunk) => {
    for (const [, inbox] of chunk.toString('latin1').matchAll(/H?MSG \S+ 1 (\S+) .*\r\n/g))
      socket.write(`HPUB ${inbox} ${bytesOf} ${bytesOf}\r\n${headers}\r\n`)
  })
  const options = { verbose: false, headers: true, auth_token: server.token }
  socket.write(`CONNECT ${JSON.stringify(options)}\r\nSUB ${subject} 1\r\n`)
  return { [Symbol.dispose]: () => socket.destroy() }
}

test('a processor whose client lacks header support gets the message without its headers', async () => {
  await using server = await startNatsServer()
  await using bus = busUnderTest(server)
  await connected(bus)
  const socket = createConnection(server.port, '127.0.0.1').setEncoding('latin1')
  let seen = ''
  socket.on('data', (chunk: string) => {
    seen += chunk
    const reply = /MSG llm\.gl\.old 1 (?<inbox>\S+) 7\r\n\{"a":1\}\r\n/.exec(seen)?.groups?.inbox
    if (reply !== undefined) socket.write(`PUB ${reply} 2\r\n{}\r\n`)
  })
  const connect = JSON.stringify({ verbose: false, headers: false, auth_token: server.token })
  socket.write(`CONNECT ${connect}\r\nSUB llm.gl.old 1\r\nPING\r\n`)
  while (!seen.includes('PONG')) await once(socket, 'data')
  const outcome = await bus.call('llm.gl.old', bytes('{"a":1}'), within(20_000))
  assert.equal(outcome.kind === 'reply' && text(outcome.bytes), '{}')
  assert.doesNotMatch(seen, /Gateway-Deadline/)
  socket.destroy()
})

test('calls answered out of order get their own answers; second and late answers are ignored', async () => {
  await using server = await startNatsServer()
  await using client = await connectBusClient(server)
  await using bus = busUnderTest(server)
  await connected(bus)
  const held: (() => void)[] = []
  await client.subscribe('llm.gl.late', (message) => {
    held.unshift(() => {
      message.reply(message.bytes)
      message.reply(bytes('a second answer'))
    })
    if (held.length === 4) for (const answer of held.slice(0, 3)) answer()
  })
  const late = bus.call('llm.gl.late', bytes('late'), within(20))
  assert.deepEqual(await late, { kind: 'failed', error: 'timeout' })
  const calls = ['one', 'two', 'three'].map((name) => bus.call('llm.gl.late', bytes(name), within(20_000)))
  const outcomes = await Promise.all(calls)
  assert.deepEqual(
    outcomes.map((outcome) => outcome.kind === 'reply' && text(outcome.bytes)),
    ['one', 'two', 'three'],
  )
  held.at(-1)?.()
  await client.flush()
  assert.equal(await bus.flush(), true)
})

test('late and second replies are told with the subject of their call', async () => {
  await using server = await startNatsServer()
  await using client = await connectBusClient(server)
  const told: [string, string][] = []
  await using bus = busUnderTest(server, { onLateReply: (subject, reply) => void told.push([subject, text(reply)]) })
  await connected(bus)
  await client.subscribe('llm.gl.twice', (message) => {
    message.reply(bytes('first'))
    message.reply(bytes('second'))
  })
  assert.equal((await bus.call('llm.gl.twice', bytes('{}'), within(20_000))).kind, 'reply')
  while (told.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(told, [['llm.gl.twice', 'second']])
})

test('when the connection drops, pending calls end as disconnected and flushes as false', async () => {
  await using server = await startNatsServer()
  await using proxy = await startTcpProxy(server.port)
  await using bus = busUnderTest({ ...server, port: proxy.port })
  await connected(bus)
  proxy.hold()
  const call = bus.call('llm.gl.any', bytes('{}'), within(600_000))
  const flush = bus.flush()
  proxy.cut()
  assert.deepEqual(await call, { kind: 'failed', error: 'disconnected' })
  assert.equal(await flush, false)
  assert.equal(await bus.flush(), false)
})

test('the bus may start later than the gateway, and after a restart of the bus the gateway answers it again', async () => {
  await using server = await startNatsServer({ token: '4k', maxPayload: 100_000 })
  await server.stop()
  await using bus = busUnderTest(server)
  await bus.lines.waitFor((line) => line.msg === 'bus not available')
  assert.equal(bus.connected, false)
  assert.equal(bus.maxPayload, undefined)
  await server.restart()
  await connected(bus)
  await using client = await connectBusClient(server)
  bus.respond('llm.gl.isalive', () => bytes('{"Status":200}'))
  assert.equal(await bus.flush(), true)
  assert.equal(text(await client.request('llm.gl.isalive', bytes(''))), '{"Status":200}')
  await server.kill('SIGKILL')
  await disconnected(bus)
  await server.restart()
  await connected(bus)
  assert.equal(await bus.flush(), true)
  await client.flush()
  assert.equal(text(await client.request('llm.gl.isalive', bytes(''))), '{"Status":200}')
  assert.equal(bus.maxPayload, 100_000)
  const messages = bus.lines.entries.map(({ level, msg }) => `${level} ${msg}`)
  assert.deepEqual([...new Set(messages)], ['WARN bus not available', 'INFO bus connected', 'WARN bus disconnected'])
})

test('a refused token is logged once, by code and without the token', async () => {
  await using server = await startNatsServer({ token: 'the-right-one' })
  await using bus = busUnderTest(
    { ...server, token: 'planted-token' },
    { timings: { firstPauseMs: 1, longestPauseMs: 2 } },
  )
  await using proxy = await startTcpProxy(server.port)
  await using other = busUnderTest({ hostname: '127.0.0.1', port: proxy.port, token: 'planted-token' })
  const line = await bus.lines.waitFor((entry) => entry.msg === 'bus not available')
  assert.deepEqual(line.fields, { address: server.address, code: 'BUS_UNAUTHORIZED' })
  while (proxy.connections < 5) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(other.lines.total, 1)
  const logged = JSON.stringify([...bus.lines.entries, ...other.lines.entries])
  assert.equal(logged.includes('planted-token'), false)
})

test('a stopped bus is disconnected after unanswered pings, its calls end, and it is reconnected later', async () => {
  await using server = await startNatsServer()
  await using bus = busUnderTest(server, { timings: { pingIntervalMs: 500, connectTimeoutMs: 2_000 } })
  await connected(bus)
  await server.kill('SIGSTOP')
  // This exceeds the socket's buffer: the library alone would wait for the write forever.
  for (let count = 0; count < 16; count++) void bus.call('llm.gl.any', new Uint8Array(1024 * 1024), within(600_000))
  const call = bus.call('llm.gl.any', bytes('{}'), within(600_000))
  assert.deepEqual(await call, { kind: 'failed', error: 'disconnected' })
  const line = await bus.lines.waitFor(({ msg }) => msg === 'bus disconnected')
  assert.equal(line.fields.code, 'BUS_STALE')
  await bus.lines.waitFor(({ msg }) => msg === 'bus not available')
  await server.kill('SIGCONT')
  await connected(bus)
  assert.equal(await bus.flush(), true)
})

test('a bus that stops reading gets 16 MiB of calls, 192 MiB wait, and further calls are refused as timeout', async () => {
  await using server = await startNatsServer()
  await using bus = busUnderTest(server)
  await connected(bus)
  await server.kill('SIGSTOP')
  const message = new Uint8Array(1024 * 1024)
  const call = (timeoutMs: number) => bus.call('llm.gl.any', message, within(timeoutMs))
  const sent = Array.from({ length: 16 }, () => call(600_000))
  assert.deepEqual(await call(20), { kind: 'failed', error: 'timeout' })
  const waiting = Array.from({ length: 191 }, () => call(600_000))
  const refused = await Promise.all([call(600_000), call(600_000)])
  for (const outcome of refused) {
    assert.deepEqual(outcome, { kind: 'failed', error: 'timeout: not sent, too much waits already' })
  }
  await server.kill('SIGCONT')
  const outcomes = await Promise.all([...sent, ...waiting])
  for (const outcome of outcomes) assert.deepEqual(outcome, { kind: 'failed', error: 'no responders' })
  assert.equal(await bus.flush(), true)
  assert.deepEqual(await call(600_000), { kind: 'failed', error: 'no responders' })
})

test('calls that wait to be sent end as disconnected when the connection drops, and aren’t sent on the next connection', async () => {
  await using server = await startNatsServer()
  await using bus = busUnderTest(server)
  await connected(bus)
  await server.kill('SIGSTOP')
  const message = new Uint8Array(1024 * 1024)
  const calls = Array.from({ length: 100 }, () => bus.call('llm.gl.any', message, within(600_000)))
  await server.kill('SIGKILL')
  for (const outcome of await Promise.all(calls)) assert.deepEqual(outcome, { kind: 'failed', error: 'disconnected' })
  await server.restart()
  await connected(bus)
  assert.deepEqual(await bus.call('llm.gl.any', message, within(600_000)), { kind: 'failed', error: 'no responders' })
})

test('a server that accepts and never speaks holds one socket, not one per attempt', async () => {
  await using silent = await silentServer()
  const timings = { connectTimeoutMs: 30, repeatWarningMs: 0 }
  await using bus = busUnderTest({ hostname: '127.0.0.1', port: silent.port, token: undefined }, { timings })
  await bus.lines.waitForCount(6)
  assert.ok(silent.sockets.size <= 2, `${silent.sockets.size} sockets`)
  for (const { fields } of bus.lines.entries) assert.equal(fields.code, 'BUS_TIMEOUT')
})

test('a flood of requests is answered in part, so that it doesn’t take the time of calls', async () => {
  await using server = await startNatsServer()
  await using bus = busUnderTest(server)
  await connected(bus)
  await using client = await connectBusClient(server)
  let answers = 0
  bus.respond('llm.gl.isalive', () => {
    answers += 1
    return bytes('{}')
  })
  assert.equal(await bus.flush(), true)
  const requests = Array.from({ length: 12_000 }, () => client.request('llm.gl.isalive', bytes('')))
  const outcomes = await Promise.allSettled(requests)
  assert.equal(answers, 10_000)
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 2_000)
})
