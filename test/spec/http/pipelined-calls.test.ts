import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { type Authority, createAuthority } from '../../fake/certificates.ts'
import { startGateway } from '../../fake/gateway.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#connections-of-callers

const IDLE_MS = 4_000
let scene: Scene

before(async () => {
  scene = await startScene({ admin: true, config: { limits: { request_idle_timeout_ms: IDLE_MS } } })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
  scene.records.clear()
})

const get = (path: string, ...lines: readonly string[]): string =>
  `${[`GET /llm/${path} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')}\r\n\r\n`
const calls = (count: number): string => Array.from({ length: count }, (_, index) => get(String(index))).join('')
const answers = (text: string): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0

async function inflight(): Promise<number> {
  const metrics = await (await fetch(`${scene.gateway.adminUrl}/metrics`)).text()
  return Number(/^llm_gateway_inflight_requests (\d+)$/m.exec(metrics)?.[1])
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) assert.ok(performance.now() < end, 'within 60 s')
}

test('1,500 pipelined calls are made one at a time, and answered in their order', async () => {
  const { llm, gateway } = scene
  let running = 0
  let most = 0
  llm.respond(async ({ url }) => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return { kind: 'answer', body: `{"path":"${url}"}` }
  })
  using caller = await openRawConnection(gateway.port)
  await caller.send(calls(1_500))
  const text = await caller.waitFor(/\{"path":"\/1499"\}/)
  assert.equal(answers(text), 1_500)
  assert.deepEqual(
    [...text.matchAll(/"path":"\/(\d+)"/g)].map(([, number]) => Number(number)),
    Array.from({ length: 1_500 }, (_, index) => index),
  )
  assert.equal(most, 1)
})

test("a waiting pipelined call doesn't count as in flight, and isn't made after its caller has left", async () => {
  const { llm, gateway } = scene
  for (const how of ['end', 'destroy', 'resetAndDestroy'] as const) {
    llm.requests.clear()
    llm.respond(() => ({ kind: 'hang' }))
    using caller = await openRawConnection(gateway.port, { allowHalfOpen: true })
    await caller.send(calls(10))
    await llm.requests.waitForCount(1)
    assert.equal(await inflight(), 1)
    caller.socket[how]()
    await llm.requests.waitUntil(([seen]) => seen?.aborted === true)
    await until(async () => (await inflight()) === 0)
    assert.equal(llm.requests.total, 1)
  }
  await scene.records.waitForCount(3)
})

const connect = 'CONNECT llm:443 HTTP/1.1\r\nHost: llm:443\r\n\r\n'
const twoLengths = get('broken', 'Content-Length: 2', 'Content-Length: 3')

for (const [name, bytes, status] of [
  ['malformed', 'GET /llm/broken HTTP/1.1\r\nno colon\r\n\r\n', '400'],
  ['ambiguous in its length', twoLengths, '400'],
  ['larger than header_bytes', get('broken', `X-Long: ${'x'.repeat(100_000)}`), '431'],
  ['CONNECT', connect, '405'],
] as const) {
  test(`hostile HTTP: a pipelined head that is ${name} is refused after the answers before it`, async () => {
    const { llm, gateway } = scene
    const gate = Promise.withResolvers<void>()
    llm.respond(async () => {
      await gate.promise
      return { kind: 'answer', body: '{"whole":true}' }
    })
    using caller = await openRawConnection(gateway.port)
    await caller.send(calls(2) + bytes)
    await llm.requests.waitForCount(1)
    gate.resolve()
    const { text, ended } = await caller.ended()
    assert.notEqual(ended, 'timeout')
    const statuses = text.match(/(?<=HTTP\/1\.1 )\d+/g)
    assert.deepEqual(statuses, ['200', '200', status])
    assert.match(text, /\{"whole":true\}HTTP\/1\.1 4\d\d [^{]*\r\nConnection: close\r\n\r\n\{"error":\{[^}]*\}\}$/)
    await scene.records.waitForCount(2)
  })
}

test('hostile HTTP: a caller that leaves after a pipelined CONNECT cancels its call', async () => {
  const { llm, gateway } = scene
  for (const how of ['end', 'destroy', 'resetAndDestroy'] as const) {
    llm.requests.clear()
    llm.respond(() => ({ kind: 'hang' }))
    using caller = await openRawConnection(gateway.port, { allowHalfOpen: true })
    await caller.send(get('a') + connect + 'x'.repeat(200_000))
    await llm.requests.waitForCount(1)
    caller.socket[how]()
    await llm.requests.waitUntil(([seen]) => seen?.aborted === true)
    await until(async () => (await inflight()) === 0)
  }
  await scene.records.waitForCount(3)
})

test('hostile HTTP: bytes behind the body of a refused call are refused once', async () => {
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(`POST /llm/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxx${twoLengths}${twoLengths}`)
  const { text, ended } = await caller.ended()
  assert.notEqual(ended, 'timeout')
  assert.deepEqual(text.match(/(?<="code":")\w+/g), ['NOT_JSON', 'BAD_PATH'])
  await scene.records.waitForCount(1)
})

test('a pipelined call has its own time limit, not the rest of the time of the call before', async () => {
  const { llm, gateway } = scene
  const large = JSON.stringify('x'.repeat(12_000_000))
  const gate = Promise.withResolvers<void>()
  llm.respond(async () => {
    await gate.promise
    return { kind: 'answer', body: '{"second":true}' }
  })
  using caller = await openRawConnection(gateway.port)
  await caller.send(
    `POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: ${large.length}\r\n\r\n${large}${get('second')}`,
  )
  await llm.requests.waitForCount(1)
  // Longer than the time in which the end of the first call must be read.
  await new Promise((resolve) => setTimeout(resolve, 2 * IDLE_MS))
  gate.resolve()
  await caller.waitFor(/\{"second":true\}$/)
})

test('hostile HTTP: too many waiting pipelined calls close their own connection', async () => {
  const { llm, gateway } = scene
  llm.respond(() => ({ kind: 'hang' }))
  using other = await openRawConnection(gateway.port)
  await other.send(calls(5))
  const hostile = await Promise.all(Array.from({ length: 4 }, () => openRawConnection(gateway.port)))
  // The first read of a new connection takes few of its calls, and the others wait unread.
  for (const caller of hostile) {
    await caller.send('GET /no-router HTTP/1.1\r\nHost: gateway\r\n\r\n')
    await caller.waitFor(/404/)
  }
  for (const caller of hostile) await caller.send(calls(1_400))
  const ended = await Promise.race(hostile.map((caller) => caller.ended()))
  assert.notEqual(ended.ended, 'timeout')
  assert.equal(other.socket.readyState, 'open')
  for (const caller of hostile) caller.close()
})

// Calls of earlier tests may still arrive, so that these look for calls by their path.
async function untilAborted(path: string): Promise<void> {
  await scene.llm.requests.waitUntil((seen) => seen.some(({ url, aborted }) => url === path && aborted))
}

async function statusOf(subpath: string): Promise<unknown> {
  const record = await scene.records.waitFor((each) => each.field('request.ingress_subpath') === subpath)
  return record.field('response.egress_status_code')
}

test('a caller that half-closes counts as gone; an answer that was already written still reaches it', async () => {
  const { llm, gateway } = scene
  llm.respond(() => ({ kind: 'hang' }))
  using gone = await openRawConnection(gateway.port, { allowHalfOpen: true })
  await gone.send(get('gone'))
  await llm.requests.waitFor(({ url }) => url === '/gone')
  gone.socket.end()
  await untilAborted('/gone')
  assert.equal(await statusOf('gone'), 499)

  llm.respond(() => ({ kind: 'answer', body: ['part'], ending: 'hang' }))
  using middle = await openRawConnection(gateway.port, { allowHalfOpen: true })
  await middle.send(get('middle'))
  await middle.waitFor(/part/)
  middle.socket.end()
  await untilAborted('/middle')
  assert.equal(await statusOf('middle'), 499)

  const large = JSON.stringify('x'.repeat(8_000_000))
  using last = await openRawConnection(gateway.port, { allowHalfOpen: true })
  last.socket.pause()
  await last.send(`POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: ${large.length}\r\n\r\n${large}`)
  await scene.records.waitFor(({ record }) => Object(record.request).gl_path === '/echo/')
  last.socket.end()
  last.socket.resume()
  const { bytes } = await last.ended()
  assert.ok(bytes.length > large.length, String(bytes.length))
})

test('a caller whose body was refused and that half-closes while nothing is read from it is noticed too', async () => {
  using caller = await openRawConnection(scene.gateway.port, { allowHalfOpen: true })
  await caller.send(`POST /none/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n${'x'.repeat(200_000)}`)
  await caller.waitFor(/ROUTER_NOT_FOUND/)
  caller.socket.end()
  assert.notEqual((await caller.ended()).ended, 'timeout')
})

test('over TLS, too, pipelined calls are made in turn, and a FIN means that the caller is gone', async () => {
  const { llm } = scene
  await using authority: Authority = await createAuthority()
  const { certificateFile, privateKeyFile } = await authority.issue('gateway')
  const ingress = { enabled: true, certificate_file: certificateFile, private_key_file: privateKeyFile }
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  await using gateway = await startGateway({ config: { routers, tls: { ingress } } })
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({
        port: gateway.port,
        host: '127.0.0.1',
        ca: [authority.certificate],
      })
      socket.once('secureConnect', () => resolve(socket))
      socket.once('error', reject)
    })
  let running = 0
  let most = 0
  llm.respond(async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return { kind: 'answer', body: '{}' }
  })
  const caller = await open()
  let text = ''
  const all = new Promise<void>((resolve) => {
    caller.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      if (answers(text) === 200) resolve()
    })
  })
  caller.write(calls(200))
  await all
  assert.equal(most, 1)
  llm.requests.clear()
  llm.respond(() => ({ kind: 'hang' }))
  caller.write(get('gone'))
  await llm.requests.waitForCount(1)
  caller.end()
  await llm.requests.waitUntil(([seen]) => seen?.aborted === true)
  caller.destroy()
})
