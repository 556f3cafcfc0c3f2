import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { watchTasks } from '../work/tasks-under-test.ts'
import { startAdmin } from './admin.ts'

const MIB = 1024 * 1024

async function start(metrics: () => Promise<string> = async () => 'a 1\n') {
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: await freePort(),
    metrics: async () => [Buffer.from(await metrics())],
    ready: () => true,
    status: () => {
      throw new Error('not asked')
    },
    entries: () => new Map(),
    logger: { warn: () => undefined },
  })
  const { port } = admin
  assert.ok(port !== undefined)
  return { port, close: admin.close }
}

/** Opens connections that send `bytes` and read nothing. */
async function connect(port: number, count: number, bytes = ''): Promise<readonly net.Socket[]> {
  const sockets = Array.from({ length: count }, () => net.connect(port, '127.0.0.1'))
  for (const socket of sockets) {
    socket.on('error', () => undefined)
    if (bytes !== '') socket.write(bytes)
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

function probe(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: 20_000 }, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
      })
      .on('error', reject)
  })
}

/** Resolves after a reset too, for which `once` would reject. */
const closed = (socket: net.Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.resume().on('close', () => resolve())
  })
const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

const crowds: readonly (readonly [name: string, bytes: string])[] = [
  ['that say nothing', ''],
  ['with a part of a head', 'GET /met'],
  ['that stay open after a probe', ask('/healthz')],
  ['that read nothing of a scrape', ask('/metrics')],
]

for (const [name, bytes] of crowds) {
  test(`admin port: a probe gets an answer beside 400 connections ${name}`, async () => {
    const text = 'a 1\n'.repeat(MIB / 8)
    const admin = await start(async () => text)
    const crowd = await connect(admin.port, 400, bytes)
    for (let round = 0; round < 5; round += 1) assert.equal(await probe(admin.port), 200)
    for (const socket of crowd) socket.destroy()
    await admin.close()
  })
}

test('admin port: a probe gets an answer while others connect without pause', { timeout: 60_000 }, async () => {
  const admin = await start()
  let goesOn = true
  const sockets: net.Socket[] = []
  const flood = async (): Promise<void> => {
    while (goesOn) sockets.push(...(await connect(admin.port, 50)))
  }
  const flooding = flood()
  for (let round = 0; round < 5; round += 1) assert.equal(await probe(admin.port), 200)
  goesOn = false
  await flooding
  for (const socket of sockets) socket.destroy()
  await admin.close()
})

test('admin port: connections without a request are closed soon', { timeout: 20_000 }, async () => {
  const admin = await start()
  const begun = performance.now()
  const [silent] = await connect(admin.port, 1)
  assert.ok(silent)
  await closed(silent)
  assert.ok(performance.now() - begun < 15_000)
  await admin.close()
})

test('admin port: answers that wait for slow readers are bounded, and the newest is sent', {
  timeout: 60_000,
}, async (t) => {
  let renderings = 0
  const admin = await start(async () => {
    renderings += 1
    return `${renderings} `.padEnd(24 * MIB, 'x')
  })
  const slow: net.Socket[] = []
  t.after(async () => {
    for (const socket of slow) socket.destroy()
    await admin.close()
  })
  const before = process.memoryUsage().arrayBuffers
  for (let round = 1; round <= 12; round += 1) {
    const [socket] = await connect(admin.port, 1, ask('/metrics'))
    assert.ok(socket)
    socket.pause()
    slow.push(socket)
    // The probe's answers let the rendering of this round begin before the next round. On a busy machine a probe's
    // connection may be closed before its request is read.
    while (renderings < round) await probe(admin.port).catch(() => undefined)
  }
  // Two of these answers fit into the bytes that may wait.
  const ended = slow.slice(0, 9).map(closed)
  await Promise.all(ended)
  assert.ok(process.memoryUsage().arrayBuffers - before < 200 * MIB)
  const [last] = slow.slice(-1)
  assert.ok(last)
  let bytes = 0
  last.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > 24 * MIB) last.destroy()
  })
  await closed(last)
  assert.ok(bytes > 24 * MIB)
})

test('admin port: a connection with too many pipelined requests is cut', { timeout: 20_000 }, async () => {
  const admin = await start(async () => 'a 1\n'.repeat(MIB))
  const [greedy] = await connect(admin.port, 1, ask('/metrics').repeat(1_000))
  assert.ok(greedy)
  await closed(greedy)
  assert.equal(await probe(admin.port), 200)
  await admin.close()
})

const bodies: readonly (readonly [name: string, head: string, piece: Buffer])[] = [
  ['of one-byte chunks', 'Transfer-Encoding: chunked', Buffer.from('1\r\na\r\n'.repeat(11_000))],
  ['of a declared length', 'Content-Length: 99999999999', Buffer.alloc(MIB)],
]
const targets: readonly (readonly [line: string, status: number])[] = [
  ['POST /metrics', 405],
  ['GET /healthz', 200],
  ['POST /nope', 404],
]

for (const [name, head, piece] of bodies) {
  for (const [line, status] of targets) {
    test(`admin port: ${line} with an endless body ${name} gets ${status}, and the connection closes`, async (t) => {
      const served = await serve(t)
      const sender = net.connect(served.port, '127.0.0.1').setEncoding('utf8')
      sender.on('error', () => undefined)
      let answer = ''
      sender.on('data', (text) => (answer += text))
      const isClosed = closed(sender)
      send(sender, `${line} HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`, piece)
      await isClosed
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} .*\\r\\nconnection: close\\r\\n`, 'is'))
      assert.deepEqual(served.requests, [1])
      // Of the body 64 KiB are drained, behind the segments at hand.
      assert.ok(served.sockets[0] !== undefined && served.sockets[0].bytesRead < MIB / 2)
    })
  }
}

test('admin port: a connection is kept behind a body of at most 64 KiB', async (t) => {
  const served = await serve(t)
  const sender = net.connect(served.port, '127.0.0.1').setEncoding('utf8')
  sender.write(`POST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n${'x'.repeat(65_536)}`)
  sender.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  let answers = ''
  for await (const text of sender) answers += text
  assert.match(answers, /^HTTP\/1\.1 404 .*not found\nHTTP\/1\.1 200 .*ok\n$/s)
})

test('admin port: no request behind a chunked body is answered or parsed', async (t) => {
  const served = await serve(t)
  const sender = net.connect(served.port, '127.0.0.1').setEncoding('utf8')
  sender.on('error', () => undefined)
  const bodied = 'POST /nope HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx: y\r\n\r\n'
  sender.write(bodied.repeat(300))
  let answers = ''
  sender.on('data', (text) => (answers += text))
  await closed(sender)
  assert.equal(answers.match(/HTTP\/1\.1/g)?.length, 1)
  assert.deepEqual(served.requests, [1])
})

test('admin port: of the requests behind the bound of pipelined requests none is parsed', async (t) => {
  const served = await serve(t)
  const [greedy] = await connect(served.port, 1, 'HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000))
  assert.ok(greedy)
  await closed(greedy)
  assert.deepEqual(served.requests, [17])
})

test('admin port: 40 endless bodies of one-byte chunks take no long turn', async (t) => {
  const served = await serve(t)
  using longest = watchTasks()
  // In a thread of its own, whose turns aren't the server's.
  const senders = new Worker(SENDERS, { eval: true, workerData: { port: served.port } })
  await once(senders, 'exit')
  // On a busy machine the others are read after the time for a head, and get 408.
  assert.ok(served.requests.length >= 16, `${served.requests.length} requests`)
  // Parsed bodies took 780 ms.
  assert.ok(longest.ms < 100, `${longest.ms} ms`)
})

/** Opens 40 connections that send chunks of one byte without an end, and exits once all of them are closed. */
const SENDERS = `
  const { workerData } = require('node:worker_threads')
  const piece = Buffer.from('1\\r\\na\\r\\n'.repeat(11_000))
  for (let n = 0; n < 40; n += 1) {
    const sender = require('node:net').connect(workerData.port, '127.0.0.1')
    const send = () => { while (!sender.destroyed && sender.write(piece)); }
    sender.on('error', () => undefined).on('drain', send).resume()
    sender.write('POST /metrics HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
    send()
  }`

type Served = {
  readonly port: number
  /** The server's side of each connection that had a request. */
  readonly sockets: readonly net.Socket[]
  /** The number of parsed requests of each of these connections. */
  readonly requests: readonly number[]
}

/** Starts an admin port that ends with the test, and notes each request that node's parser makes. */
async function serve(t: TestContext): Promise<Served> {
  const admin = await start()
  const sockets: net.Socket[] = []
  const requests: number[] = []
  const note = (message: unknown): void => {
    assert.ok(typeof message === 'object' && message !== null && 'socket' in message)
    const { socket } = message
    assert.ok(socket instanceof net.Socket)
    if (!sockets.includes(socket)) requests[sockets.push(socket) - 1] = 0
    const index = sockets.indexOf(socket)
    requests[index] = (requests[index] ?? 0) + 1
  }
  subscribe('http.server.request.start', note)
  t.after(async () => {
    unsubscribe('http.server.request.start', note)
    await admin.close()
  })
  return { port: admin.port, sockets, requests }
}

/** Sends a head, and after it a piece again and again until the connection closes. */
function send(socket: net.Socket, head: string, piece: Buffer): void {
  socket.write(head)
  const sendPieces = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', sendPieces)
  sendPieces()
}
