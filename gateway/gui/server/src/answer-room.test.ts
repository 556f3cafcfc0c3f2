import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { ThreadError } from '@llm-gateway/sdk'
import { Access } from './access/access.ts'
import { answered, route } from './answer.ts'
import { BARE_SECRET, bareServer } from './fixture/bare-server.ts'

// Rules: docs/reference/web-api.md

const MIB = 1024 * 1024
/** Larger than all buffers between two programs of a machine, so that an answer that nobody reads isn't sent. */
const LARGE = Buffer.alloc(24 * MIB, ' ')
const FILE = '/api/v1/files/gl_config.json'

type Caller = Readonly<Record<string, string>>
const SCRIPT: Caller = { authorization: `Bearer ${BARE_SECRET}` }

test('answers that nobody reads keep their room, and one that gets none in time is BUSY', async () => {
  await using scene = await sceneOf({ waitMs: 20 })
  const [one, other] = [scene.session(), scene.session()]
  const unread = [await scene.ask(one), await scene.ask(one), await scene.ask(other), await scene.ask(other)]
  assert.deepEqual(
    unread.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  )
  const refused = await scene.ask(scene.session())
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '5'])
  assert.equal(JSON.parse(await textOf(refused)).error.code, 'BUSY')
  assert.equal((await scene.ask(other, '/api/v1/files')).statusCode, 200, 'a small answer needs no room')
  unread[0]?.destroy()
  await scene.until(async () => (await scene.ask(scene.session())).statusCode === 200)
})

test('an answer waits until another caller has read its answer', async () => {
  await using scene = await sceneOf({ waitMs: 60_000 })
  const [one, other] = [scene.session(), scene.session()]
  const unread = [await scene.ask(one), await scene.ask(one), await scene.ask(other), await scene.ask(other)]
  const waiting = scene.ask(scene.session())
  assert.equal((await textOf(unread[2])).length, LARGE.length)
  assert.equal((await waiting).statusCode, 200)
})

test('one caller does not get the room of the others', async () => {
  await using scene = await sceneOf({ waitMs: 20 })
  for (const status of [200, 200, 503]) assert.equal((await scene.ask(SCRIPT)).statusCode, status)
  assert.equal((await scene.ask(scene.session())).statusCode, 200)
})

test('a caller that reads too slowly gives way to one that waits', async () => {
  await using scene = await sceneOf({ waitMs: 60_000, slowMs: 1 })
  const unread = await scene.ask(SCRIPT)
  const ended = new Promise((resolve) => unread.once('error', resolve))
  await scene.ask(SCRIPT)
  assert.equal((await scene.ask(SCRIPT)).statusCode, 200)
  unread.resume()
  await ended
})

test('answers beyond the bytes that may wait are BUSY at once', async () => {
  await using scene = await sceneOf({ waitMs: 60_000, waitingBytes: MIB })
  await scene.ask(SCRIPT)
  await scene.ask(SCRIPT)
  void scene.ask(SCRIPT).catch(() => undefined) // Waits until the server closes.
  await scene.until(async () => (await scene.ask(SCRIPT)).statusCode === 503)
})

test('a connection that closes frees the room of all answers that it asked for', async () => {
  await using scene = await sceneOf({ waitMs: 20 })
  const head = `GET ${FILE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${BARE_SECRET}\r\n\r\n`
  const socket = connect(scene.port, '127.0.0.1', () => socket.write(head.repeat(30)))
  await once(socket, 'data')
  await scene.until(async () => (await scene.ask(SCRIPT)).statusCode === 503)
  socket.destroy()
  const unread: IncomingMessage[] = []
  await scene.until(async () => {
    const answer = await scene.ask(SCRIPT)
    if (answer.statusCode === 200) unread.push(answer)
    return unread.length === 2
  })
})

for (const [endpoint, next] of [
  [endpoints.overview, 'Try again in a moment.'],
  [endpoints.check, 'Try again in a moment.'],
  [endpoints.try, 'Try again in a moment.'],
  [endpoints.deploy, 'Load the page again: the change may be made.'],
] as const) {
  const { method } = endpoint
  test(`a request ${method} ${endpoint.path} for which a thread has no time is BUSY`, async () => {
    const overloaded = async () => Promise.reject(new ThreadError({ code: 'OVERLOADED' }))
    await using server = await serverOf({ routes: [{ endpoint, answer: overloaded }] })
    const path = endpoint.path.replace(':file', 'gl_config.json')
    const answer = await ask(server.port, { caller: SCRIPT, path, method })
    const { error } = JSON.parse(await textOf(answer))
    assert.deepEqual([answer.statusCode, error.code], [503, 'BUSY'])
    assert.ok(error.message.endsWith(next), error.message)
  })
}

async function sceneOf(room: NonNullable<Parameters<typeof bareServer>[0]>['room']) {
  const access = new Access({ limit: 5, now: () => Date.now(), monotonic: () => performance.now() })
  access.setSecret(BARE_SECRET, false)
  const server = await serverOf({
    access,
    ...(room === undefined ? {} : { room }),
    routes: [route(endpoints.files, async () => answered({ files: [] }))],
    bytesRoutes: [{ endpoint: endpoints.file, answer: async () => ({ kind: 'bytes', status: 200, text: LARGE }) }],
  })
  return {
    /** Logs a person in and returns the headers of the requests. */
    session: (): Caller => {
      const entry = access.logIn(BARE_SECRET, '', { sessionId: undefined, browserId: undefined })
      return { cookie: `gateway_session=${entry.kind === 'in' ? entry.id : ''}` }
    },
    port: server.port,
    ask: (caller: Caller, path = FILE) => ask(server.port, { caller, path, method: 'GET' }),
    until: async (isNow: () => Promise<boolean>): Promise<void> => {
      while (!(await isNow())) await new Promise((resolve) => setImmediate(resolve))
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function serverOf(changes: Parameters<typeof bareServer>[0]) {
  const server = await bareServer(changes)
  return { port: await server.listen(0), [Symbol.asyncDispose]: () => server.close() }
}

type Asked = { readonly caller: Caller; readonly path: string; readonly method: string }

/** Resolves with the head of the answer, whose body nobody reads yet. */
function ask(port: number, { caller: headers, ...asked }: Asked): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ...asked, headers, agent: false }, (answer) =>
      resolve(answer.on('error', () => undefined)),
    )
    sent.on('error', reject).end()
  })
}

async function textOf(answer: IncomingMessage | undefined): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of answer ?? []) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
