import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { isJsonObject } from '@llm-gateway/protocol'
import { SettingsError } from '@llm-gateway/sdk'
import { createEndpointScorer } from './endpoint-scorer.ts'
import { endpointSettings } from './settings.ts'

const { signal } = new AbortController()

type Seen = { readonly method: string | undefined; readonly authorization: string | undefined; readonly body: unknown }
type Respond = (inputs: readonly string[], response: ServerResponse) => void

const scored = (inputs: readonly string[], category_scores: object) =>
  JSON.stringify({ id: 'm', model: 'm', results: inputs.map(() => ({ flagged: true, category_scores })) })

test("OpenAI's categories are mapped to the six, and each counts as toxic", async () => {
  await using server = await startEndpoint((inputs, response) =>
    response.end(
      scored(inputs, { harassment: 0.7, 'hate/threatening': 0.2, 'self-harm/intent': 0.99, sexual: 0.1, new_one: 0.9 }),
    ),
  )
  const scorer = createEndpointScorer(endpointSettings.parse({ url: server.url, api_key: 'planted-key', model: 'm' }))
  assert.deepEqual(await scorer.score(['one', 'two'], signal), {
    toxicity: 0.7,
    severe_toxicity: 0.2,
    obscene: 0.1,
    threat: 0,
    insult: 0.7,
    identity_attack: 0,
  })
  const body = { input: ['one\ntwo'], model: 'm' }
  assert.deepEqual(server.seen, [{ method: 'POST', authorization: 'Bearer planted-key', body }])
  await scorer.close()
})

test('settings may replace the mapping and leave out the key', async () => {
  await using server = await startEndpoint((inputs, response) =>
    response.end(scored(inputs, { rude: 0.6, harassment: 0.9 })),
  )
  const settings = { url: server.url, model: '', categories: { rude: 'obscene' } }
  const { obscene, insult } = await createEndpointScorer(endpointSettings.parse(settings)).score(['x'], signal)
  assert.deepEqual({ obscene, insult }, { obscene: 0.6, insult: 0 })
  assert.deepEqual(server.seen, [{ method: 'POST', authorization: undefined, body: { input: ['x'] } }])
})

test('a long text is sent whole, in windows, and the highest score counts', async () => {
  await using server = await startEndpoint((inputs, response) => {
    const results = inputs.map((input) => ({ category_scores: { violence: input.includes('needle') ? 0.8 : 0.1 } }))
    response.end(JSON.stringify({ results }))
  })
  const scorer = createEndpointScorer(endpointSettings.parse({ url: server.url, window_characters: 256 }))
  const scores = await scorer.score([`${'hay '.repeat(3_000)}needle${' hay'.repeat(3_000)}`], signal)
  assert.equal(scores.toxicity, 0.8)
  assert.ok(server.seen.length > 1)
  await assert.rejects(
    createEndpointScorer(endpointSettings.parse({ url: server.url, max_characters: 300 })).score(
      ['x'.repeat(300)],
      signal,
    ),
    { code: 'TOO_MUCH_TEXT' },
  )
})

const BROKEN: readonly (readonly [string, string, Respond])[] = [
  ['an error status', 'ENDPOINT_STATUS_500', (_, response) => response.writeHead(500).end('{}')],
  ['a wrong key', 'ENDPOINT_STATUS_401', (_, response) => response.writeHead(401).end()],
  ['a redirect', 'ENDPOINT_UNREACHABLE', (_, response) => response.writeHead(302, { location: '/other' }).end()],
  ['invalid JSON', 'ENDPOINT_NOT_JSON', (_, response) => response.end('<html>')],
  ['no results', 'ENDPOINT_ANSWER', (_, response) => response.end('{}')],
  ['too few results', 'ENDPOINT_ANSWER', (_, response) => response.end('{"results":[]}')],
  ['a result that is null', 'ENDPOINT_ANSWER', (_, response) => response.end('{"results":[null]}')],
  ['no known category', 'ENDPOINT_ANSWER', (inputs, response) => response.end(scored(inputs, { other: 1 }))],
  ['a score over 1', 'ENDPOINT_ANSWER', (inputs, response) => response.end(scored(inputs, { harassment: 1.5 }))],
  [
    'a score that is a string',
    'ENDPOINT_ANSWER',
    (inputs, response) => response.end(scored(inputs, { harassment: '0' })),
  ],
  ['an answer without end', 'ENDPOINT_TIMEOUT', (_, response) => void response.write('{')],
  ['no answer', 'ENDPOINT_TIMEOUT', () => undefined],
  ['a closed connection', 'ENDPOINT_UNREACHABLE', (_, response) => void response.destroy()],
  ['5 MB', 'ENDPOINT_TOO_LARGE', (_, response) => response.end(' '.repeat(5 * 1024 * 1024))],
  ['100,000 objects', 'ENDPOINT_TOO_LARGE', (_, response) => response.end(`{"results":[${'{},'.repeat(100_000)}{}]}`)],
]
for (const [title, code, respond] of BROKEN) {
  test(`an endpoint that gives ${title} gives no scores, is asked once, and no error contains its key`, async () => {
    await using server = await startEndpoint(respond)
    const settings = {
      url: server.url,
      api_key: 'planted-key',
      timeout_ms: code === 'ENDPOINT_TIMEOUT' ? 3_000 : 60_000,
    }
    const scorer = createEndpointScorer(endpointSettings.parse(settings))
    await assert.rejects(scorer.score(['planted-text'], signal), (error) => {
      assert.ok(error instanceof Error && 'code' in error && error.code === code, String(error))
      assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /planted/)
      return true
    })
    assert.equal(server.seen.length, 1)
  })
}

test('an endpoint that refuses connections gives no scores', async () => {
  const { url, [Symbol.asyncDispose]: close } = await startEndpoint(() => undefined)
  await close()
  await assert.rejects(createEndpointScorer(endpointSettings.parse({ url })).score(['x'], signal), {
    code: 'ENDPOINT_UNREACHABLE',
  })
})

for (const url of ['', 'moderations', 'ftp://localhost/', 'https://user:key@localhost/']) {
  test(`the address ${JSON.stringify(url)} is rejected, and the error names the setting`, () => {
    assert.throws(
      () => createEndpointScorer(endpointSettings.parse({ url })),
      (error) => {
        assert.ok(error instanceof SettingsError)
        assert.deepEqual(error.reasons, { 'endpoint.url': 'http_url:' })
        return true
      },
    )
  })
}

async function startEndpoint(respond: Respond) {
  const seen: Seen[] = []
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    const input = isJsonObject(body) && Array.isArray(body.input) ? body.input : []
    seen.push({ method: request.method, authorization: request.headers.authorization, body })
    respond(input, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1/moderations`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
