import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { Access } from './access/access.ts'
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
  await using scene = await heldScene()
  const [one, other] = [scene.session(), scene.session()]
  const held = [scene.hold(one), scene.hold(one), scene.hold(other), scene.hold(other), scene.hold(SCRIPT)]
  await scene.begun(held.length)
  const closed = held.map((sent) => new Promise((resolve) => sent.once('close', resolve)))
  for (const sent of held) sent.destroy()
  await Promise.all(closed)
  const sent = { method: 'PUT', path: DRAFT, secret: BARE_SECRET }
  assert.equal(await send(scene.port, sent, BODY), '429 TOO_MANY')
  const trial = { method: 'POST', path: TRY, secret: BARE_SECRET }
  assert.equal(
    await send(scene.port, trial, Buffer.from(`{"router":"/x/","body":"${'x'.repeat(3 * MIB)}"}`)),
    '429 TOO_MANY',
  )
  scene.release()
  while ((await send(scene.port, sent, BODY)) !== '200');
})

test('the bodies of one caller leave room to others', async () => {
  await using scene = await heldScene()
  const one = scene.session()
  const held = [scene.hold(one), scene.hold(one)]
  await scene.begun(held.length)
  const [answer] = await once(scene.hold(one), 'response', { signal: AbortSignal.timeout(20_000) })
  assert.equal(answer.statusCode, 429)
  scene.hold(SCRIPT)
  await scene.begun(held.length + 1)
  scene.release()
})

const BODY = Buffer.alloc(19 * MIB, ' ')
const SCRIPT = { authorization: `Bearer ${BARE_SECRET}` }

/** Starts a server that works on bodies until `release`. */
async function heldScene() {
  const work = Promise.withResolvers<undefined>()
  let begun = 0
  const access = new Access({ limit: 5, now: () => Date.now(), monotonic: () => performance.now() })
  access.setSecret(BARE_SECRET, false)
  const server = await serverOf(access, {
    endpoint: endpoints.saveDraft,
    answer: async () => {
      begun += 1
      await work.promise
      return { kind: 'bytes', status: 200, text: Buffer.from('{}') }
    },
  })
  return {
    port: server.port,
    release: () => work.resolve(undefined),
    begun: async (count: number): Promise<void> => {
      while (begun < count) await new Promise((resolve) => setImmediate(resolve))
    },
    /** Logs a person in and returns the headers of the requests. */
    session: (): Readonly<Record<string, string>> => {
      const entry = access.logIn(BARE_SECRET, '', { sessionId: undefined, browserId: undefined })
      assert.equal(entry.kind, 'in')
      return { cookie: `gateway_session=${entry.id}`, 'x-csrf-token': entry.session.csrfToken }
    },
    /** Sends a body of 19 MiB, whose answer comes after `release`. */
    hold: (caller: Readonly<Record<string, string>>): ClientRequest => {
      const headers = { ...caller, 'content-type': 'application/json', 'content-length': BODY.length }
      const asked = { host: '127.0.0.1', port: server.port, method: 'PUT', path: DRAFT, headers, agent: false }
      const sent = request(asked, (answer) => void answer.resume())
      sent.on('error', () => undefined).end(BODY)
      return sent
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function serverOf(access: Access, bytesRoute: BytesRoute) {
  const server = await bareServer({
    access,
    routes: [route(endpoints.try, async () => answered({ event: 'end', bytes: 0, cut: false, at_ms: 0 }))],
    bytesRoutes: [bytesRoute],
  })
  return { port: await server.listen(0), [Symbol.asyncDispose]: () => server.close() }
}
