import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import type { ConnectionLimits } from './connection-bound.ts'
import { mostConnections } from './most-connections.ts'
import type { BodyFailure } from './read-body.ts'
import { type TrackedServer, trackedServerUnderTest } from './tracked-server-under-test.ts'

// Rules: docs/reference/http.md#connections-of-callers, docs/reference/http.md#memory

const LONG_MS = 60_000
const HEAD_BYTES = 64 * 1024
/** The bytes that an idle connection counts. */
const IDLE_BYTES = 14 * 1024
const WHOLE = 'POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{}'
const SLOW = 'POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{'
const HELD = WHOLE.replace('POST /', 'POST /held')
const PART_OF_HEAD = 'POST / HTTP/1.1\r\nHost: gateway\r\nX-Long: xxxx'
const HEAD_OF_CHUNKED = 'POST / HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n'
const LAST_CHUNK = '2\r\n{}\r\n0\r\n'
/** A line that doesn't end. */
const LONG_TRAILER = `X-Long: ${'x'.repeat(14_000)}`
const NO_LIMIT = { bytes: Number.MAX_SAFE_INTEGER, count: Number.MAX_SAFE_INTEGER, headBytes: HEAD_BYTES }

/** A server that answers whole bodies at `/`, and with 408 bodies whose reading was ended, as noted in `ended`. */
async function serverUnderTest(t: TestContext, limits: Partial<ConnectionLimits>) {
  const tracked = await trackedServerUnderTest(t, { connectionLimits: { ...NO_LIMIT, ...limits } })
  const { server, connections } = tracked
  const ended: BodyFailure[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.of(request.socket)
    connection.openBody((ending) => {
      ended.push(ending)
      response.writeHead(408, { Connection: 'close' }).end()
      return true
    })
    if (request.url === '/unread') return
    request.resume().on('end', () => {
      if (request.url === '/') response.end('answer')
    })
  }
  server.on('request', connections.oneByOne(answer))
  return { ...tracked, ended }
}

async function openMany(tracked: TrackedServer, count: number, bytes = ''): Promise<Socket[]> {
  const sockets: Socket[] = []
  // The sockets open one after another, so that the order of the list is the order of their age.
  for (let opened = 0; opened < count; opened += 1) {
    const socket = tracked.open().resume()
    await once(socket, 'connect')
    if (bytes !== '') socket.write(bytes)
    sockets.push(socket)
  }
  return sockets
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(10)
}

function closed(sockets: readonly Socket[]): readonly number[] {
  return sockets.flatMap((socket, index) => (socket.closed ? [index] : []))
}

async function call(socket: Socket): Promise<string> {
  socket.write(WHOLE)
  const [bytes]: Buffer[] = await once(socket, 'data')
  return String(bytes).split('\r\n', 1).join()
}

test('beyond the number of connections, the oldest ones without an answer end', { timeout: LONG_MS }, async (t) => {
  const tracked = await serverUnderTest(t, { count: 10 })
  const [caller] = await openMany(tracked, 1)
  assert.ok(caller !== undefined)
  assert.equal(await call(caller), 'HTTP/1.1 200 OK')
  const idle = await openMany(tracked, 14)
  await until(() => closed(idle).length === 5)
  await pause(300)
  assert.deepEqual(closed(idle), [0, 1, 2, 3, 4])
  assert.equal(await call(caller), 'HTTP/1.1 200 OK')
  const [young] = idle.slice(-1)
  assert.ok(young !== undefined)
  assert.equal(await call(young), 'HTTP/1.1 200 OK')
})

for (const [name, before] of [
  ['a connection', ''],
  ['a connection that had an answer, also within the same segment,', WHOLE],
] as const) {
  test(`a part of a head counts as four times the largest head on ${name}`, { timeout: LONG_MS }, async (t) => {
    // Room for ten idle connections and one head.
    const tracked = await serverUnderTest(t, { bytes: 10 * IDLE_BYTES + 4 * HEAD_BYTES })
    const idle = await openMany(tracked, 8, WHOLE)
    await pause(1_500)
    assert.deepEqual(closed(idle), [])
    const partial = await openMany(tracked, 2, `${before}${PART_OF_HEAD}`)
    await until(() => closed([...idle, ...partial]).length > 0)
  })
}

for (const [name, before] of [
  ['a connection that had an answer', WHOLE],
  ['a running call', HELD],
] as const) {
  test(`a part of a head of many short lines counts by its lines, behind ${name}`, { timeout: LONG_MS }, async (t) => {
    const part = `GET / HTTP/1.1\r\nHost: gateway\r\n${'aa:bb\r\n'.repeat(1_500)}`
    const headBytes = 16 * 1024
    // Room for two heads of usual lines.
    const tracked = await serverUnderTest(t, { bytes: 2 * IDLE_BYTES + 8 * headBytes, headBytes })
    tracked.server.maxHeadersCount = 0
    tracked.server.keepAliveTimeout = LONG_MS
    const [usual] = await openMany(tracked, 1, `${before}${PART_OF_HEAD}`)
    await pause(1_500)
    assert.equal(usual?.closed, false)
    const short = await openMany(tracked, 1, `${before}${part}`)
    await until(() => [usual, ...short].some((socket) => socket?.closed === true))
  })
}

test('heads of many short lines end before new connections, the largest first', { timeout: LONG_MS }, async (t) => {
  const part = (lines: number): string => `${WHOLE}GET / HTTP/1.1\r\nHost: gateway\r\n${'aa:bb\r\n'.repeat(lines)}`
  const headBytes = 16 * 1024
  // Room for five idle connections and the smaller one of two heads.
  const tracked = await serverUnderTest(t, { bytes: 5 * IDLE_BYTES + 10 * headBytes, headBytes })
  tracked.server.maxHeadersCount = 0
  tracked.server.keepAliveTimeout = LONG_MS
  const fresh = await openMany(tracked, 3)
  const [small] = await openMany(tracked, 1, part(1_000))
  await pause(300)
  const [large] = await openMany(tracked, 1, part(2_000))
  await until(() => large?.closed === true)
  await pause(300)
  assert.deepEqual(closed(fresh), [])
  assert.equal(small?.closed, false)
})

test('bodies that wait behind a running call count, and the largest end before idle connections', {
  timeout: LONG_MS,
}, async (t) => {
  const body = 'x'.repeat(60_000)
  const waiting = `POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  // Room for six idle connections and two waiting bodies.
  const tracked = await serverUnderTest(t, { bytes: 6 * IDLE_BYTES + 2 * HEAD_BYTES })
  tracked.server.keepAliveTimeout = LONG_MS
  const idle = await openMany(tracked, 3, WHOLE)
  const [small] = await openMany(tracked, 1, `${HELD}${waiting}`)
  await pause(1_500)
  const [large] = await openMany(tracked, 1, `${HELD}${waiting}${waiting.slice(0, -1)}`)
  await until(() => large?.closed === true)
  await pause(300)
  assert.deepEqual(closed(idle), [])
  assert.equal(small?.closed, false)
})

test('a call that doesn’t read its body yet goes on', { timeout: LONG_MS }, async (t) => {
  const body = 'x'.repeat(40_000)
  const tracked = await serverUnderTest(t, { bytes: 4 * IDLE_BYTES + body.length })
  tracked.server.keepAliveTimeout = LONG_MS
  const head = `POST /unread HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${body.length}\r\n\r\n`
  const [unread] = await openMany(tracked, 1, head + body)
  await pause(100)
  const idle = await openMany(tracked, 6, WHOLE)
  await until(() => closed(idle).length > 0 || unread?.closed === true)
  await pause(300)
  assert.equal(unread?.closed, false)
})

for (const [name, waiting] of [
  ['a target of 60 KB', `GET /${'a'.repeat(60_000)} HTTP/1.1\r\nHost: gateway\r\n\r\n`],
  ['a head of 1,000 short lines', `GET / HTTP/1.1\r\nHost: gateway\r\n${'a:\r\n'.repeat(1_000)}\r\n`],
] as const) {
  test(`${name} that waits behind a running call counts`, { timeout: LONG_MS }, async (t) => {
    // Room for six idle connections and two waiting requests.
    const tracked = await serverUnderTest(t, { bytes: 6 * IDLE_BYTES + 2 * HEAD_BYTES })
    tracked.server.keepAliveTimeout = LONG_MS
    tracked.server.maxHeadersCount = 0
    Reflect.set(tracked.server, 'maxHeaderSize', HEAD_BYTES)
    const idle = await openMany(tracked, 3, WHOLE)
    const callers = await openMany(tracked, 3, `${HELD}${waiting}`)
    await until(() => closed(callers).length > 0)
    assert.deepEqual(closed(idle), [])
  })
}

for (const [name, parts] of [
  ['with the body', [`${HEAD_OF_CHUNKED}${LAST_CHUNK}${LONG_TRAILER}`]],
  ['behind the body', [`${HEAD_OF_CHUNKED}${LAST_CHUNK}`, LONG_TRAILER]],
  ['behind a body in two segments', [HEAD_OF_CHUNKED, '2\r\n{}\r\n', '2\r\n{}\r\n0\r\n', LONG_TRAILER]],
] as const) {
  test(`trailers that arrive ${name} count, and their bytes don’t keep the call`, { timeout: LONG_MS }, async (t) => {
    const headBytes = 16 * 1024
    // Room for the long trailers of two calls.
    const tracked = await serverUnderTest(t, { bytes: 2 * headBytes, headBytes })
    const open = async (): Promise<Socket> => {
      const [socket] = await openMany(tracked, 1)
      assert.ok(socket !== undefined)
      for (const part of parts) {
        socket.write(part)
        await pause(50)
      }
      return socket
    }
    const bodies = [await open(), await open()]
    await pause(1_500)
    assert.deepEqual(closed(bodies), [])
    bodies.push(await open())
    await until(() => {
      for (const socket of bodies) if (!socket.closed) socket.write('x')
      // The answer itself may be lost, since a reset follows where further bytes arrive.
      return tracked.ended.length > 0
    })
    assert.deepEqual(tracked.ended[0], { kind: 'refused', code: 'REQUEST_TIMEOUT' })
  })
}

test('chunked bodies that arrive slowly count with the bytes that arrived, and end no idle connection', {
  timeout: LONG_MS,
}, async (t) => {
  const tracked = await serverUnderTest(t, { bytes: 10 * IDLE_BYTES + HEAD_BYTES })
  tracked.server.keepAliveTimeout = LONG_MS
  const idle = await openMany(tracked, 3, WHOLE)
  const bodies = await openMany(tracked, 6, `${HEAD_OF_CHUNKED}1\r\n[\r\n`)
  for (let times = 0; times < 20; times += 1) {
    for (const socket of bodies) socket.write('2\r\n1,\r\n')
    await pause(100)
  }
  assert.deepEqual(closed([...idle, ...bodies]), [])
})

test('running calls, which count in the memory account, end no other connection', { timeout: LONG_MS }, async (t) => {
  const tracked = await serverUnderTest(t, { bytes: 4 * IDLE_BYTES })
  tracked.server.keepAliveTimeout = LONG_MS
  const others = [...(await openMany(tracked, 1, WHOLE)), ...(await openMany(tracked, 2))]
  const running = await openMany(tracked, 12, HELD)
  await pause(1_500)
  assert.deepEqual(closed([...others, ...running]), [])
})

test('trailers are dropped as they arrive', { timeout: LONG_MS }, async (t) => {
  const tracked = await trackedServerUnderTest(t)
  const requests: IncomingMessage[] = []
  tracked.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request)
    request.resume().on('end', () => response.end('answer'))
  })
  const [caller] = await openMany(tracked, 1)
  assert.ok(caller !== undefined)
  const trailers = 'aa:bb\r\n'.repeat(500)
  caller.write(`${HEAD_OF_CHUNKED}${LAST_CHUNK}${trailers}\r\n`)
  await once(caller, 'data')
  caller.write(`GET / HTTP/1.1\r\nHost: gateway\r\n${trailers}\r\n`)
  await once(caller, 'data')
  assert.deepEqual(
    requests.map(({ rawTrailers, rawHeaders }) => [rawTrailers.length, rawHeaders.length]),
    [
      [0, 4],
      [0, 1_002],
    ],
  )
})

test('slow heads behind an answer end before new connections, also while their bytes arrive', {
  timeout: LONG_MS,
}, async (t) => {
  // Room for two heads and eight idle connections.
  const tracked = await serverUnderTest(t, { bytes: 8 * IDLE_BYTES + 8 * HEAD_BYTES })
  tracked.server.keepAliveTimeout = LONG_MS
  const slow = await openMany(tracked, 2, WHOLE)
  await pause(100)
  for (const socket of slow) socket.write(PART_OF_HEAD)
  const drip = setInterval(() => {
    for (const socket of slow) if (!socket.destroyed) socket.write('x')
  }, 50)
  t.after(() => clearInterval(drip))
  await pause(1_500)
  assert.deepEqual(closed(slow), [])
  const fresh = await openMany(tracked, 7)
  await until(() => closed(slow).length > 0 || closed(fresh).length > 0)
  await pause(300)
  assert.deepEqual(closed(fresh), [])
})

test('idle connections that send empty lines end before a few new connections', { timeout: LONG_MS }, async (t) => {
  const tracked = await serverUnderTest(t, { count: 20 })
  tracked.server.keepAliveTimeout = LONG_MS
  const idle = await openMany(tracked, 18, WHOLE)
  const lines = setInterval(() => {
    for (const socket of idle) if (!socket.destroyed) socket.write('\r\n')
  }, 50)
  t.after(() => clearInterval(lines))
  await pause(1_500)
  assert.deepEqual(closed(idle), [])
  const fresh = await openMany(tracked, 6)
  await until(() => closed(idle).length + closed(fresh).length === 4)
  assert.deepEqual(closed(fresh), [])
})

test('a connection that made calls lately outlives silent ones', { timeout: LONG_MS }, async (t) => {
  const tracked = await serverUnderTest(t, { count: 10 })
  const silent = await openMany(tracked, 12, WHOLE)
  const [caller] = silent
  assert.ok(caller !== undefined)
  await until(() => {
    caller.write(WHOLE)
    return closed(silent).length === 2
  })
  assert.ok(!closed(silent).includes(0))
})

test('calls without a body for a second end with 408, calls that run go on', { timeout: LONG_MS }, async (t) => {
  const tracked = await serverUnderTest(t, { count: 10 })
  const statuses: string[] = []
  const running = await openMany(tracked, 4, HELD)
  const slow = await openMany(tracked, 10, SLOW)
  for (const socket of slow) socket.on('data', (bytes) => statuses.push(String(bytes).slice(9, 12)))
  await until(() => closed(slow).length === 4)
  await pause(300)
  assert.deepEqual(statuses, ['408', '408', '408', '408'])
  assert.deepEqual(closed(running), [])
})

test('the number of connections is half of the open files, without those for other uses', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'limits')
  await writeFile(
    file,
    'Limit     Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n',
  )
  assert.equal(await mostConnections(file), 384)
  assert.equal(await mostConnections(join(folder.path, 'absent')), Number.POSITIVE_INFINITY)
})
