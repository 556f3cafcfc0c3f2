import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { type Act, answer, startScriptedServer } from './scripted-server-under-test.ts'
import { tokenFile } from './token-file.ts'
import { createTransport, type Transport } from './transport.ts'
import { TransportError } from './transport-error.ts'

// Rules: docs/reference/kubernetes.md#connections

const OK = answer(200, { ok: true })
const busy = (seconds: string) => answer(429, { code: 429 }, { 'retry-after': seconds })
/** The most connections for requests. */
const CONNECTIONS = 64
const write = (transport: Transport, path = '/x') => transport.request({ method: 'PATCH', path, body: {} })

test('a request that a busy server refuses is sent again at the time that the server named, and given up after some tries', async () => {
  await using server = await startScriptedServer([busy('1'), OK, busy('30')])
  const transport = createTransport({ access: server.access })
  try {
    const began = performance.now()
    assert.equal((await write(transport)).status, 200)
    // Timers count whole milliseconds.
    assert.ok(performance.now() - began >= 999)
    assert.equal((await transport.request({ method: 'GET', path: '/x', timeoutMs: 29_999 })).status, 429)
    assert.equal(server.calls.length, 3, 'no wait beyond the time limit of the caller')
  } finally {
    await transport.close()
  }
})

test('a token is read again when its file was replaced, and at once when the server refuses it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'token-'))
  const file = join(folder, 'token')
  const replace = (token: string) => writeFileSync(file, `${token}\n`)
  let now = 0
  replace('first')
  const tokens = tokenFile(file, () => now)
  await using server = await startScriptedServer([OK, OK, OK, answer(401, {}), OK, OK], tokens)
  const transport = createTransport({ access: server.access })
  try {
    const get = () => transport.request({ method: 'GET', path: '/x' })
    await get()
    replace('second')
    await get()
    now = 10_001
    await get()
    replace('third')
    assert.equal((await get()).status, 200)
    rmSync(file)
    now = 30_000
    await get()
    const seen = ['first', 'first', 'second', 'second', 'third', 'third'].map((token) => `Bearer ${token}`)
    assert.deepEqual(server.tokens, seen)
  } finally {
    await transport.close()
    rmSync(folder, { recursive: true })
  }
})

test('a write that waited for a connection is not sent when the operator has stopped leading meanwhile', async () => {
  const held: (() => void)[] = []
  const hold: Act = (response, request) => {
    held.push(() => OK(response, request))
  }
  await using server = await startScriptedServer([hold])
  let leading = true
  const transport = createTransport({ access: server.access, mayWrite: () => leading })
  try {
    const first = Array.from({ length: CONNECTIONS }, (_, index) => write(transport, `/${index}`))
    await server.until('all connections are taken', () => server.calls.length === CONNECTIONS)
    const late = write(transport, '/late')
    leading = false
    for (const release of held) release()
    assert.ok((await Promise.all(first)).every(({ status }) => status === 200))
    await assert.rejects(late, (error) => error instanceof TransportError && error.code === 'NOT_LEADING')
    const read = transport.request({ method: 'GET', path: '/read' })
    await server.until('reading goes on', () => server.calls.length === CONNECTIONS + 1)
    held.at(-1)?.()
    await read
    assert.equal(server.calls.at(-1), 'GET /read')
  } finally {
    await transport.close()
  }
})

const unanswered: readonly (readonly [string, Act, string, number])[] = [
  ['no answer in time', () => undefined, 'TIMEOUT', 200],
  ['a connection that ends', (response) => response.destroy(), 'UND_ERR_SOCKET', 30_000],
]
for (const [what, act, code, timeoutMs] of unanswered) {
  test(`${what} is a TransportError with a code, and is counted`, async () => {
    await using server = await startScriptedServer([act])
    const counted: string[] = []
    const transport = createTransport({ access: server.access, answered: (...call) => counted.push(call.join(' ')) })
    try {
      await assert.rejects(
        transport.request({ method: 'GET', path: '/x', timeoutMs }),
        (error) => error instanceof TransportError && error.code === code,
      )
      assert.deepEqual(counted, ['GET <error>'])
    } finally {
      await transport.close()
    }
  })
}

test('a request that waits for a connection ends at its time limit and is never sent', async () => {
  const held: (() => void)[] = []
  const hold: Act = (response, request) => {
    held.push(() => OK(response, request))
  }
  await using server = await startScriptedServer([hold])
  const transport = createTransport({ access: server.access })
  try {
    const first = Array.from({ length: CONNECTIONS }, (_, index) => write(transport, `/${index}`))
    await server.until('all connections are taken', () => server.calls.length === CONNECTIONS)
    const late = transport.request({ method: 'PATCH', path: '/late', body: {}, timeoutMs: 50 })
    await assert.rejects(late, (error) => error instanceof TransportError && error.code === 'TIMEOUT')
    for (const release of held) release()
    await Promise.all(first)
    const last = write(transport, '/last')
    await server.until('requests go on', () => server.calls.length === CONNECTIONS + 1)
    held.at(-1)?.()
    await last
    assert.equal(server.calls.at(-1), 'PATCH /last')
  } finally {
    await transport.close()
  }
})

test('after a connection died without a sign at most one request is lost, whatever versions of HTTP the server speaks', async () => {
  await using authority = await createAuthority()
  const { certificate, privateKey } = await authority.issue('api')
  let dead: number | undefined
  const server = createSecureServer({ cert: certificate, key: privateKey, allowHTTP1: true }, (request, response) => {
    if (request.socket.remotePort === dead) return
    dead ??= request.socket.remotePort
    response.end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const access = {
    server: `https://127.0.0.1:${address.port}`,
    tls: { ca: String(authority.certificate) },
    authorization: async () => undefined,
    refused: () => undefined,
  }
  const transport = createTransport({ access })
  const get = () => transport.request({ method: 'GET', path: '/x', timeoutMs: 2_000 })
  try {
    assert.equal((await get()).status, 200)
    let lost = 0
    for (let call = 0; call < 4; call += 1)
      await get().catch(() => {
        lost += 1
      })
    assert.ok(lost <= 1, `${lost} of 4 requests`)
  } finally {
    await transport.close()
    server.close()
  }
})

test('many watches leave requests their connections', async () => {
  const watched: Act = (response, { url = '' }) => {
    response.writeHead(200)
    if (url === '/watch') response.write('{}\n')
    else response.end('{}')
  }
  await using server = await startScriptedServer([watched])
  const transport = createTransport({ access: server.access })
  const stop = new AbortController()
  const options = { accept: '', stallMs: 60_000, signal: stop.signal }
  try {
    const watches = await Promise.all(Array.from({ length: CONNECTIONS }, () => transport.watch('/watch', options)))
    assert.equal(watches.length, CONNECTIONS)
    assert.equal((await transport.request({ method: 'GET', path: '/x' })).status, 200)
    stop.abort()
    const ended = watches.map(async ({ lines }) => {
      for await (const line of lines) assert.equal(line, '{}')
    })
    assert.equal((await Promise.allSettled(ended)).length, CONNECTIONS)
  } finally {
    await transport.close()
  }
})

test('an answer that is too long or never ends is an error, and its connection is closed', async () => {
  let closed = 0
  const endless: Act = (response) => {
    response.on('close', () => {
      closed += 1
    })
    response.writeHead(200)
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }
  const silent: Act = (response) => {
    response.on('close', () => {
      closed += 1
    })
    response.writeHead(200).write('{')
  }
  await using server = await startScriptedServer([endless, endless, silent, OK])
  const transport = createTransport({ access: server.access })
  const url = `${server.access.server}/status`
  const limits = { timeoutMs: 30_000, mostBytes: 1_000_000 }
  const isTooLong = (error: unknown) => error instanceof TransportError && error.code === 'TOO_LONG'
  try {
    await assert.rejects(transport.get(url, limits), isTooLong)
    await assert.rejects(transport.request({ method: 'GET', path: '/status', ...limits }), isTooLong)
    await assert.rejects(transport.get(url, { ...limits, timeoutMs: 100 }), TransportError)
    await server.until('all connections are closed', () => closed === 3)
    assert.deepEqual((await transport.get(url, limits)).body, { ok: true })
  } finally {
    await transport.close()
  }
})

test('a failure to get credentials is a request without an answer, like any other', async () => {
  const authorization = async () => {
    throw new RangeError('a plugin')
  }
  await using server = await startScriptedServer([OK], { authorization })
  const transport = createTransport({ access: server.access })
  const isOurs = (error: unknown) => error instanceof TransportError && error.code === 'NO_CREDENTIALS'
  const { signal } = new AbortController()
  try {
    await assert.rejects(transport.request({ method: 'GET', path: '/x' }), isOurs)
    await assert.rejects(transport.watch('/x', { accept: '', stallMs: 1_000, signal }), isOurs)
  } finally {
    await transport.close()
  }
})
