import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { createEndpointRecognizer } from './endpoint-recognizer.ts'

const SECRET = 'planted-secret'
const FOUND = { entities: [{ text: 'Ada', label: 'PERSON' }] }
const json: (value: unknown) => RequestListener = (value) => (_, response) => response.end(JSON.stringify(value))

test('the endpoint gets the text and the configured headers, and its entities are the answer', async () => {
  const seen: { method?: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
  await using server = await startServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.end(JSON.stringify(FOUND))
    })
  })
  const { recognizer } = created(server.url)
  assert.deepEqual(await recognizer.entities('Ada \ud800'), FOUND.entities)
  await recognizer.close()
  assert.equal(seen[0]?.method, 'POST')
  assert.equal(seen[0]?.headers['x-key'], SECRET)
  assert.equal(seen[0]?.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), { text: 'Ada \ud800' })
})

const FAILURES: readonly (readonly [string, RequestListener])[] = [
  ['HTTP_500', (_, response) => response.writeHead(500).end(SECRET)],
  ['HTTP_404', (_, response) => response.writeHead(404).end()],
  ['ANSWER_NOT_JSON', (_, response) => response.end(`${SECRET}{`)],
  ['ANSWER_NOT_JSON', (_, response) => response.end()],
  ['ANSWER_SHAPE', json({ entities: [{ text: SECRET }] })],
  ['ANSWER_TOO_LARGE', (_, response) => response.end(' '.repeat(5 * 1024 * 1024))],
  ['ANSWER_TOO_LARGE', (_, response) => response.end(`{"entities":[${'{},'.repeat(200_000)}{}]}`)],
  ['ANSWER_TOO_LARGE', (_, response) => response.end(`[${'{},'.repeat(200_000)}{}]`)],
  ['TIMEOUT', () => undefined],
  ['TIMEOUT', (_, response) => response.write('{')],
  ['UND_ERR_SOCKET', (request) => request.socket.destroy()],
  ['HTTP_302', (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
]

test('a failing endpoint gives no answer and is logged once, without its text', async () => {
  for (const [code, listener] of FAILURES) {
    await using server = await startServer(listener)
    const { recognizer, lines } = created(server.url, code === 'TIMEOUT' ? 200 : 20_000)
    for (let count = 0; count < 2; count += 1) {
      await assert.rejects(recognizer.entities('Ada'), { name: 'EndpointError', code }, code)
    }
    assert.deepEqual(lines.entries, [{ level: 'WARN', message: 'entities endpoint failed', fields: { code } }])
    await recognizer.close()
  }
})

test('an answer may describe each word of the text beside its entities', async () => {
  const tokens = Array.from({ length: 10_000 }, (_, id) => ({ id, start: id, end: id + 1, tag: 'NN', lemma: 'word' }))
  await using server = await startServer(json({ text: 'Ada', ents: [{ start: 0, end: 3, label: 'PERSON' }], tokens }))
  const { recognizer } = created(server.url)
  assert.deepEqual(await recognizer.entities('Ada'), FOUND.entities)
  await recognizer.close()
})

test('an endpoint has no more time than the message that waits for it', async () => {
  await using server = await startServer(() => undefined)
  const { recognizer } = created(server.url, 600_000)
  for (const limitMs of [200.5, 0]) await assert.rejects(recognizer.entities('Ada', limitMs), { code: 'TIMEOUT' })
  await recognizer.close()
})

test('an endpoint that answers again is logged', async () => {
  const listeners = [FAILURES[0]?.[1], json(FOUND), json(FOUND)]
  await using server = await startServer((request, response) => listeners.shift()?.(request, response))
  const { recognizer, lines } = created(server.url)
  await assert.rejects(recognizer.entities('Ada'))
  assert.deepEqual(await recognizer.entities('Ada'), FOUND.entities)
  assert.deepEqual(await recognizer.entities('Ada'), FOUND.entities)
  assert.deepEqual(
    lines.entries.map(({ message }) => message),
    ['entities endpoint failed', 'entities endpoint answers again'],
  )
  assert.ok(!JSON.stringify(lines.entries).includes(SECRET))
  await recognizer.close()
})

test('a close aborts requests under way', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  await using server = await startServer(() => resolve())
  const { recognizer } = created(server.url)
  const rejected = assert.rejects(recognizer.entities('Ada'), { code: 'ABORTED' })
  await asked
  await recognizer.close()
  await rejected
})

function created(url: string, timeoutMs = 20_000) {
  const { logger, lines } = journalLogger()
  const headers = new Headers({ 'X-Key': SECRET, 'Content-Type': 'application/json' })
  return { recognizer: createEndpointRecognizer({ url, headers, timeoutMs, logger }), lines }
}

async function startServer(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}/entities`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
