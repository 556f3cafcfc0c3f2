import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTasks } from '../work/tasks-under-test.ts'
import { type Admin, type AdminOptions, startAdmin } from './admin.ts'
import type { Status } from './status.ts'

// Rules: docs/reference/configuration-rules.md#status, docs/reference/http.md#drain

const STATUS: Status = {
  version: '0.1.0',
  digest: 'sha256:00',
  values_revision: '41',
  reload: { result: 'ok', time: '2026-11-21T02:00:00Z', reason: '' },
  routers: { active: 1, rejected: 1, disabled: 0, internal: 0 },
  rejected_fields: { 'gl_config.Routers[1].Router.Outbound.Url': 'required:' },
  rejected_routers: [1],
  bus: 'connected',
}

type Warning = { readonly fields: object; readonly msg: string }

async function start(changes: Partial<AdminOptions> = {}): Promise<Admin & { readonly warnings: readonly Warning[] }> {
  const warnings: Warning[] = []
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: await freePort(),
    metrics: async () => [Buffer.from('# HELP '), Buffer.from('a b\n')],
    ready: () => true,
    status: () => STATUS,
    entries: () => new Map([['/echo/', 'ab12']]),
    logger: { warn: (fields, msg) => warnings.push({ fields, msg }) },
    ...changes,
  })
  return { ...admin, warnings }
}

function portOf(server: net.Server): number {
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

/** Asks over a connection of its own that stays open, like a scraper's. */
async function ask(
  admin: Admin,
  path: string,
  method = 'GET',
): Promise<http.IncomingMessage & { readonly text: string }> {
  const request = http.request({
    host: '127.0.0.1',
    port: admin.port,
    path,
    method,
    agent: new http.Agent({ keepAlive: true }),
  })
  request.end()
  const [response]: http.IncomingMessage[] = await once(request, 'response')
  assert.ok(response !== undefined)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Object.assign(response, { text: Buffer.concat(chunks).toString() })
}

async function pipeline(admin: Admin, paths: readonly string[]): Promise<string> {
  assert.ok(admin.port !== undefined)
  const socket = net.connect(admin.port, '127.0.0.1').setEncoding('utf8')
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n`)
  socket.write(`${requests.join('\r\n')}Connection: close\r\n\r\n`)
  let text = ''
  for await (const piece of socket) text += piece
  return text
}

const PATHS: readonly (readonly [path: string, method: string, status: number, text: string, type: string])[] = [
  ['/metrics', 'GET', 200, '# HELP a b\n', 'text/plain; version=0.0.4; charset=utf-8'],
  ['/metrics?x=1', 'GET', 200, '# HELP a b\n', 'text/plain; version=0.0.4; charset=utf-8'],
  ['/healthz', 'GET', 200, 'ok\n', 'text/plain; charset=utf-8'],
  ['/readyz', 'GET', 200, 'ready\n', 'text/plain; charset=utf-8'],
  ['/status', 'GET', 200, `${JSON.stringify(STATUS)}\n`, 'application/json'],
  ['/status?entries=0', 'GET', 200, `${JSON.stringify(STATUS)}\n`, 'application/json'],
  [
    '/status?entries=1',
    'GET',
    200,
    `${JSON.stringify({ ...STATUS, entries: { '/echo/': 'ab12' } })}\n`,
    'application/json',
  ],
  ['/status', 'POST', 405, 'method not allowed\n', 'text/plain; charset=utf-8'],
  ['/metrics', 'DELETE', 405, 'method not allowed\n', 'text/plain; charset=utf-8'],
  ['/', 'GET', 404, 'not found\n', 'text/plain; charset=utf-8'],
  ['/metrics/', 'GET', 404, 'not found\n', 'text/plain; charset=utf-8'],
  ['/constructor', 'GET', 404, 'not found\n', 'text/plain; charset=utf-8'],
]

for (const [path, method, status, text, type] of PATHS) {
  test(`admin port: ${method} ${path} answers ${status}`, async () => {
    const admin = await start()
    const answer = await ask(admin, path, method)
    assert.deepEqual([answer.statusCode, answer.text, answer.headers['content-type']], [status, text, type])
    assert.equal(answer.headers.allow, status === 405 ? 'GET' : undefined)
    await admin.close()
  })
}

test('readiness turns to 503 while liveness stays 200', async () => {
  let ready = true
  const admin = await start({ ready: () => ready })
  assert.equal((await ask(admin, '/readyz')).statusCode, 200)
  ready = false
  const answer = await ask(admin, '/readyz')
  assert.deepEqual([answer.statusCode, answer.text], [503, 'not ready\n'])
  assert.equal((await ask(admin, '/healthz')).statusCode, 200)
  await admin.close()
})

test('status shows at most 16 rejected fields and 1,000 rejected routers, and leaves out a missing revision', async () => {
  const rejected_fields = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`gl_config.Routers[${i}].Router.Path`, 'router:']),
  )
  const rejected_routers = Array.from({ length: 1_001 }, (_, index) => index)
  const admin = await start({
    status: () => ({ ...STATUS, values_revision: undefined, rejected_fields, rejected_routers }),
  })
  const shown = JSON.parse((await ask(admin, '/status')).text)
  assert.deepEqual(Object.keys(shown.rejected_fields), Object.keys(rejected_fields).slice(0, 16))
  assert.deepEqual(shown.rejected_routers, rejected_routers.slice(0, 1_000))
  const keys = ['version', 'digest', 'reload', 'routers', 'rejected_fields', 'rejected_routers', 'bus']
  assert.deepEqual(Object.keys(shown), keys)
  await admin.close()
})

test('requests for the status that come together share a rendering', async (t) => {
  let renderings = 0
  const map = new Map([['/echo/', 'ab12']])
  const status = (): Status => {
    renderings += 1
    return STATUS
  }
  const admin = await start({ status, entries: () => map })
  t.after(() => admin.close())
  const socket = net.connect(admin.port ?? 0, '127.0.0.1')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (bytes: Buffer) => (received += bytes))
  // The gateway gets all of these requests in one read.
  socket.write('GET /status HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8))
  while (received.split('HTTP/1.1 200 OK').length <= 8) await once(socket, 'data')
  assert.equal(renderings, 1)
})

test('admin_port 0 is off', async () => {
  const admin = await start({ port: 0 })
  assert.deepEqual([admin.port, admin.warnings], [undefined, []])
  await admin.close()
})

const UNUSABLE: readonly (readonly [what: string, code: string, changes: (port: number) => Partial<AdminOptions>])[] = [
  ['an admin port that is the port for callers', 'EADDRINUSE', (port) => ({ callersPort: port })],
  ['an admin host with a NUL', 'ERR_INVALID_ARG_VALUE', () => ({ host: 'a\0b' })],
  ['an admin host that is no address of this machine', 'EADDRNOTAVAIL', () => ({ host: '192.0.2.1' })],
]
for (const [what, code, changes] of UNUSABLE) {
  test(`${what} is a WARN, and the gateway runs without it`, async () => {
    const port = await freePort()
    const admin = await start({ port, ...changes(port) })
    assert.equal(admin.port, undefined)
    const { host = '127.0.0.1' } = changes(port)
    assert.deepEqual(admin.warnings, [
      { fields: { admin_host: host, admin_port: port, code }, msg: 'admin port not available' },
    ])
    const callers = net.createServer().listen(port, '127.0.0.1')
    await once(callers, 'listening')
    callers.close()
    await admin.close()
  })
}

test('a taken admin port is a WARN, and the gateway runs without it', async () => {
  const holder = net.createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const port = portOf(holder)
  const admin = await start({ port })
  assert.equal(admin.port, undefined)
  const fields = { admin_host: '127.0.0.1', admin_port: port, code: 'EADDRINUSE' }
  assert.deepEqual(admin.warnings, [{ fields, msg: 'admin port not available' }])
  await admin.close()
  holder.close()
})

test('admin port: a failure to answer is a 500 without its reason', async () => {
  const admin = await start({
    metrics: () => Promise.reject(new Error('secret')),
    status: () => {
      throw new Error('secret')
    },
  })
  for (const path of ['/metrics', '/status']) {
    const answer = await ask(admin, path)
    assert.deepEqual([answer.statusCode, answer.text], [500, 'internal\n'])
  }
  assert.equal((await ask(admin, '/healthz')).statusCode, 200)
  await admin.close()
})

test('admin port: scrapes that overlap share one rendering, later ones get a new one', async () => {
  const { promise, resolve } = Promise.withResolvers<readonly Buffer[]>()
  let renderings = 0
  const admin = await start({
    metrics: () => {
      renderings++
      return promise
    },
    ready: () => {
      resolve([Buffer.from('text\n')])
      return true
    },
  })
  // Three requests in one write begin in order: the third ends the rendering that the first two wait for.
  const text = await pipeline(admin, ['/metrics', '/metrics', '/readyz'])
  assert.deepEqual(text.match(/^(text|ready)$/gm), ['text', 'text', 'ready'])
  assert.equal(renderings, 1)
  await ask(admin, '/metrics')
  assert.equal(renderings, 2)
  await admin.close()
})

test('admin port: requests for the entries that overlap share one rendering, later ones get a new one', async (t) => {
  let renderings = 0
  const status = () => {
    renderings++
    return STATUS
  }
  const admin = await start({ status })
  t.after(() => admin.close())
  const text = await pipeline(admin, ['/status?entries=1', '/status?entries=1', '/status?entries=1'])
  assert.equal(text.match(/"entries":{"\/echo\/":"ab12"}}\n/g)?.length, 3)
  assert.equal(renderings, 1)
  await ask(admin, '/status?entries=1')
  assert.equal(renderings, 2)
})

test('admin port: a request during the rendering of earlier entries gets the new ones', async (t) => {
  let entries = new Map(Array.from({ length: 100_000 }, (_, index) => [`/team-${index}/`, 'ab12']))
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const status = () => {
    resolve()
    return STATUS
  }
  const admin = await start({ status, entries: () => entries })
  t.after(() => admin.close())
  const first = pipeline(admin, ['/status?entries=1'])
  await begun
  entries = new Map([['/new/', 'cd34']])
  assert.match(await pipeline(admin, ['/status?entries=1']), /"entries":{"\/new\/":"cd34"}}\n$/)
  assert.match(await first, /"\/team-99999\/":"ab12"}}\n$/)
})

const ENTRIES = new Map(Array.from({ length: 10_000 }, (_, index) => [`/team-${index}/`, 'f'.repeat(64)]))
const PIECES = Array.from({ length: 400 }, () => Buffer.alloc(64 * 1024, 'x'))
const LARGE: readonly (readonly [what: string, path: string])[] = [
  ['the entries of 10,000 routers', '/status?entries=1'],
  ['a scrape of 25 MB', '/metrics'],
]
for (const [what, path] of LARGE) {
  test(`admin port: 1,600 requests for ${what} take no long turn`, { timeout: 180_000 }, async (t) => {
    let crowd = crowdOf(1_600)
    const metrics = async () => {
      await crowd.isHere
      return PIECES
    }
    const admin = await start({ entries: () => ENTRIES, metrics })
    const callers = new Worker(CALLERS, { eval: true, workerData: { port: admin.port, path } })
    t.after(async () => {
      crowd.end()
      await callers.terminate()
      await admin.close()
    })
    await once(callers, 'online')
    await assertShortTurns(50, async () => {
      crowd.end()
      crowd = crowdOf(1_600)
      using longest = watchTasks()
      callers.postMessage('begin')
      const [bytes]: number[] = await once(callers, 'message')
      assert.ok(bytes !== undefined && bytes > 0)
      return longest.ms
    })
  })
}

/** Counts the requests that servers of this process get. */
function crowdOf(requests: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = requests
  const count = (): void => {
    left -= 1
    if (left === 0) resolve()
  }
  subscribe('http.server.request.start', count)
  return { isHere: promise, end: () => unsubscribe('http.server.request.start', count) }
}

/** At each message sends 16 requests on each of 100 connections, and reads until the last connection is closed. */
const CALLERS = `
  const { parentPort, workerData: { port, path } } = require('node:worker_threads')
  const head = 'GET ' + path + ' HTTP/1.1\\r\\nHost: a\\r\\n'
  parentPort.on('message', () => {
    let open = 100
    let bytes = 0
    for (let n = 0; n < 100; n += 1) {
      const socket = require('node:net').connect(port, '127.0.0.1')
      socket.on('error', () => undefined).on('data', (piece) => (bytes += piece.length))
      socket.on('close', () => (open -= 1) || parentPort.postMessage(bytes))
      socket.write((head + '\\r\\n').repeat(15) + head + 'Connection: close\\r\\n\\r\\n')
    }
  })`

test('admin port: closes at once though scrapers keep their connections', async () => {
  const admin = await start()
  await ask(admin, '/healthz')
  let isClosed = false
  const closing = admin.close().then(() => {
    isClosed = true
  })
  // Counts turns of the event loop: a thousand end long before the second for which a running scrape keeps the port
  // open.
  for (let turn = 0; turn < 1_000 && !isClosed; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isClosed, true)
  await closing
})

test('admin port: closes within its second though a client never ends its request', { timeout: 60_000 }, async () => {
  const admin = await start()
  assert.ok(admin.port !== undefined)
  const socket = net.connect(admin.port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n')
  await once(socket, 'connect')
  await ask(admin, '/healthz')
  await admin.close()
})
