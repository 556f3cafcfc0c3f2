import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { freePort } from '@llm-gateway/test/fake/free-port'
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
