import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { answered, type BytesRoute, route } from './answer.ts'
import { BARE_SECRET, bareServer } from './fixture/bare-server.ts'
import { startScene } from './fixture/interface-scene.ts'
import { watchTurns } from './fixture/watch-turns.ts'

// Rules: docs/reference/web-api.md

const MIB = 1024 * 1024
const SECRET = 'gui-secret-5c2f81'
/** Longest turn of the main thread, in CPU time. The test's client writes the bodies in the same thread. */
const LONGEST_TURN_MS = 150
const DRAFT = '/api/v1/files/gl_config.json/draft'
const TRY = '/api/v1/try'

/** JSON of as many values as fit. */
const arrays = (bytes: number) => Buffer.from(`[${'[],'.repeat(Math.floor(bytes / 3) - 2)}[]]`)

type Sent = { readonly method: string; readonly path: string; readonly secret?: string }

function send(port: number, { method, path, secret }: Sent, body: Uint8Array): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
  }
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    answer.on('end', () => resolve(`${answer.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim()))
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

const COSTLY: readonly (readonly [string, Sent, string])[] = [
  ['to no page', { method: 'POST', path: '/x' }, '404 NOT_FOUND'],
  ['to no endpoint', { method: 'POST', path: '/api/v1/none' }, '404 NOT_FOUND'],
  ['to a page', { method: 'GET', path: '/x' }, '200'],
  ['of a login', { method: 'POST', path: '/api/v1/session' }, '413 BODY_TOO_LARGE'],
  ['of a logout without a login', { method: 'DELETE', path: '/api/v1/session' }, '401 NOT_LOGGED_IN'],
  ['of a logout', { method: 'DELETE', path: '/api/v1/session', secret: SECRET }, '200'],
  ['of a draft without a login', { method: 'PUT', path: DRAFT }, '401 NOT_LOGGED_IN'],
  ['of a draft', { method: 'PUT', path: DRAFT, secret: SECRET }, '400 BAD_REQUEST'],
  ['of a trial call without a login', { method: 'POST', path: TRY }, '401 NOT_LOGGED_IN'],
  ['of a trial call', { method: 'POST', path: TRY, secret: SECRET }, '413 BODY_TOO_LARGE'],
  ['of a deploy', { method: 'POST', path: DRAFT.replace('draft', 'deploy'), secret: SECRET }, '413 BODY_TOO_LARGE'],
]

test('a body of 20 MiB that nobody asked for is not parsed', async (t) => {
  await using scene = await startScene()
  const body = arrays(19 * MIB)
  for (const [what, sent, answer] of COSTLY) {
    await t.test(`a body ${what}`, async () => {
      await assertShortTurns(LONGEST_TURN_MS, async () => {
        using turns = watchTurns()
        assert.equal(await send(scene.port, sent, body), answer)
        return turns.longestMs
      })
    })
  }
})

test('the largest body of a trial call with the most values is refused unparsed, and a long text is sent', async () => {
  await using scene = await startScene()
  const asked = { method: 'POST', path: TRY, secret: SECRET }
  const text = (length: number) => Buffer.from(JSON.stringify({ router: '/x/', body: '"'.repeat(length) }))
  for (const [body, answer] of [
    [arrays(10 * MIB), '400 BAD_REQUEST'],
    [text(4 * MIB), '200 ECONNREFUSED'],
    [Buffer.from(`{"router":"/x/","body":"${'\\u0061'.repeat(1.6 * MIB)}"}`), '200 ECONNREFUSED'],
  ] as const) {
    await assertShortTurns(LONGEST_TURN_MS, async () => {
      using turns = watchTurns()
      assert.equal(await send(scene.port, asked, body), answer)
      return turns.longestMs
    })
  }
})

for (const path of ['/x', '/api/v1/none', DRAFT, TRY]) {
  test(`POST ${path} without a login is answered before its body comes, and its connection ends`, async () => {
    await using scene = await startScene()
    const socket = connect(scene.port, '127.0.0.1')
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: ${19 * MIB}\r\n\r\n[`)
    let text = ''
    socket.on('data', (piece) => {
      text += piece
    })
    await once(socket, 'end', { signal: AbortSignal.timeout(20_000) })
    assert.match(text, /^HTTP\/1\.1 40[14] /)
    assert.match(text, /\r\nconnection: close\r\n/i)
    socket.destroy()
  })
}

test('a connection is kept where a body was read, or came whole with a request that takes none', async () => {
  await using scene = await startScene()
  const socket = connect(scene.port, '127.0.0.1')
  const ask = async (line: string, body: string) => {
    const head = `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
    const [piece] = await once(socket, 'data')
    return String(piece).slice(9, 12)
  }
  assert.equal(await ask('DELETE /api/v1/session', '{}'), '401')
  assert.equal(await ask('POST /api/v1/session', '{"secret":"wrong","name":"x"}'), '401')
  assert.equal(await ask('GET /healthz', ''), '200')
  socket.destroy()
})

test('bodies in work count until their work ends, even if their callers have left', async () => {
  const work = Promise.withResolvers<undefined>()
  let begun = 0
  await using server = await serverOf({
    endpoint: endpoints.saveDraft,
    answer: async () => {
      begun += 1
      await work.promise
      return { kind: 'bytes', status: 200, text: Buffer.from('{}') }
    },
  })
  const sent = { method: 'PUT', path: DRAFT, secret: BARE_SECRET }
  const body = Buffer.alloc(19 * MIB, ' ')
  const held = Array.from({ length: 5 }, () => {
    const headers = {
      authorization: `Bearer ${BARE_SECRET}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const one = request({ host: '127.0.0.1', port: server.port, ...sent, headers, agent: false })
    one.on('error', () => undefined).end(body)
    return one
  })
  while (begun < held.length) await new Promise((resolve) => setImmediate(resolve))
  const closed = held.map((one) => new Promise((resolve) => one.once('close', resolve)))
  for (const one of held) one.destroy()
  await Promise.all(closed)
  assert.equal(await send(server.port, sent, body), '429 TOO_MANY')
  const trial = { method: 'POST', path: TRY, secret: BARE_SECRET }
  assert.equal(
    await send(server.port, trial, Buffer.from(`{"router":"/x/","body":"${'x'.repeat(3 * MIB)}"}`)),
    '429 TOO_MANY',
  )
  work.resolve(undefined)
  while ((await send(server.port, sent, body)) !== '200');
})

async function serverOf(bytesRoute: BytesRoute) {
  const server = await bareServer({
    routes: [route(endpoints.try, async () => answered({ event: 'end', bytes: 0, cut: false, at_ms: 0 }))],
    bytesRoutes: [bytesRoute],
  })
  return { port: await server.listen(0), [Symbol.asyncDispose]: () => server.close() }
}
