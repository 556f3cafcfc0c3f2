import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { journalLogger } from './journal-logger-under-test.ts'
import { openProcessorPort } from './processor-port.ts'

const REQUESTS: readonly (readonly [line: string, status: number, body: string])[] = [
  ['GET /healthz', 200, 'ok\n'],
  ['GET /readyz?verbose=1', 200, 'ready\n'],
  ['GET /metrics', 500, 'internal\n'],
  ['GET /', 404, 'not found\n'],
  ['GET //', 404, 'not found\n'],
  ['GET /__proto__', 404, 'not found\n'],
  ['GET http://[/healthz', 404, 'not found\n'],
  ['POST /readyz', 405, 'method not allowed\n'],
  ['DELETE /nothing', 404, 'not found\n'],
]

test('the port answers its three paths and survives any other request', async () => {
  const { port, close } = await openPort()
  for (const [line, status, body] of REQUESTS) {
    const answer = await exchange(port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), line)
    assert.ok(answer.endsWith(`\r\n\r\n${body}`), line)
  }
  assert.match(await exchange(port, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /)
  assert.match(await exchange(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  assert.match(
    await exchange(port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 200 /,
  )
  await close()
})

test('a reader that keeps its connection does not keep the port from closing', async () => {
  const { port, close } = await openPort()
  const socket = connect(port, '127.0.0.1')
  const received = text(socket)
  await new Promise((resolve) => {
    socket.once('data', resolve)
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  })
  await close()
  assert.match(await received, /^HTTP\/1\.1 200 /)
})

test('a connection with a thousand requests at once gets one answer', async () => {
  let renderings = 0
  const metrics = async (): Promise<string> => {
    renderings += 1
    return 'a 1\n'
  }
  const { port, close } = await openPort(metrics)
  const answer = await exchange(port, 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000))
  assert.equal(answer.split('HTTP/1.1 200').length - 1, 1)
  assert.equal(renderings, 1)
  await close()
})

test('requests for the metrics at one moment share one rendering', async () => {
  const open = Promise.withResolvers<string>()
  let renderings = 0
  const metrics = (): Promise<string> => {
    renderings += 1
    return open.promise
  }
  const { port, close } = await openPort(metrics)
  const answers = Array.from({ length: 20 }, () => exchange(port, 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'))
  // Later connections are accepted after the earlier ones, whose requests have arrived by then.
  assert.match(await exchange(port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /ok/)
  open.resolve('a 1\n')
  for (const answer of await Promise.all(answers)) assert.ok(answer.endsWith('a 1\n'))
  assert.ok(renderings < 20, `${renderings} renderings`)
  await close()
})

test('a probe gets its answer beside 300 connections that send nothing', async () => {
  const { port, close } = await openPort()
  const silent = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  assert.match(await exchange(port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /ok/)
  for (const socket of silent) socket.destroy()
  await close()
})

test('a request may come byte by byte', async () => {
  const { port, close } = await openPort()
  const socket = connect(port, '127.0.0.1').setNoDelay()
  const received = text(socket)
  for (const byte of 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n') {
    await new Promise((resolve) => socket.write(byte, resolve))
  }
  assert.match(await received, /^HTTP\/1\.1 200 OK\r\n/)
  await close()
})

async function openPort(metrics: () => Promise<string> = () => Promise.reject(new Error('planted-secret'))) {
  const port = await freePort()
  const opened = await openProcessorPort({
    host: '127.0.0.1',
    port,
    ready: () => true,
    metrics,
    logger: journalLogger().logger,
  })
  assert.ok(opened)
  return { port, close: opened.close }
}

async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  return await text(socket)
}
