// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { golden } from '../../fake/golden-record.ts'
import { jsonAnswer, type LlmAnswer } from '../../fake/llm-answer.ts'
import { answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'
import { openRawConnection } from '../../fake/raw-http.ts'

// Rules: docs/reference/record.md#a-whole-record, docs/reference/record.md#other-outcomes,
// docs/reference/record.md#which-calls-have-a-record

const JSON_TYPE = { 'Content-Type': ['application/json'] }
const KEYED = {
  ingress: { headers: { ...JSON_TYPE, 'Api-Key': ['${GATEWAY_API_KEY}'] } },
  outbound: { url: '$LLM', endpoint: '', headers: { ...JSON_TYPE, 'Api-Key': ['${AISERVICE_API_KEY}'] } },
}
const adds = (
  name: string,
  reply: Readonly<Record<string, unknown>> | undefined,
  over: Omit<ProcessorEntry, 'name'> = {},
): ProcessorEntry => ({
  name,
  output_fields_write: Object.keys(reply ?? {}),
  reply: () => reply,
  ...over,
})

const RESTRICTED = '/restricted/llmapi/deployments/gpt4/chat/completions?api-version=2024-10-21'
const CHAT = '{"messages": [{"role":"user","content":"Hi"}]}'
const COMPLETION = { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } }
const STREAMED = '{"model":"m","stream":true,"stream_options":{"include_usage":true}}'

/** An answered call: the caller's request and the LLM API's answer. */
type Case = {
  readonly name: string
  readonly target: string
  readonly method?: string
  readonly headers?: string
  readonly body?: string
  readonly llm?: () => LlmAnswer
}

const KEY = 'Api-Key: callers-key\r\n'
const cases: readonly Case[] = [
  {
    name: '200',
    target: RESTRICTED,
    headers: KEY,
    llm: () => jsonAnswer(COMPLETION, { headers: [['Set-Cookie', 'a=1']] }),
  },
  { name: 're-route', target: '/pool/?api-version=callers&key=secret', llm: () => jsonAnswer(COMPLETION) },
  { name: 'control', target: '/control/' },
  { name: 'transport-failure', target: '/refused/chat/completions' },
  {
    name: 'stream',
    target: '/plain/chat/completions',
    body: STREAMED,
    llm: () => answerLikeAnLlm('/chat/completions', Buffer.from(STREAMED)),
  },
  { name: 'http-error', target: '/plain/x', llm: () => jsonAnswer({ error: 'slow down' }, { status: 429 }) },
  { name: 'text-answer', target: '/plain/x', llm: () => typedAnswer('text/plain', 'Grüße "a"\n') },
  { name: 'binary-answer', target: '/plain/x', llm: () => typedAnswer('audio/mpeg', Buffer.of(0xff, 0xfb, 0x00)) },
  {
    name: 'get-without-body',
    target: '/plain/models',
    method: 'GET',
    body: '',
    llm: () => ({ kind: 'answer', status: 204 }),
  },
  {
    name: 'broken-answer',
    target: '/plain/x',
    llm: () => ({ ...typedAnswer('text/plain', ['half']), ending: 'close' }),
  },
  { name: 'refused', target: RESTRICTED, headers: 'Api-Key: wrong\r\nCookie: c=1\r\n' },
  { name: 'not-json', target: '/plain/x', body: 'not JSON' },
  { name: 'processor-required', target: '/required/' },
  { name: 'echo', target: '/echo/' },
]

function typedAnswer(type: string, body: string | Uint8Array | string[]): Extract<LlmAnswer, { kind: 'answer' }> {
  return { kind: 'answer', headers: [['Content-Type', type]], body }
}

let scene: PipelineScene

before(async () => {
  scene = await startPipelineScene(
    [
      {
        path: '/restricted/',
        router: KEYED,
        request: [
          [adds('token_counter', undefined)],
          [adds('character_count', { character_count: 45 }, { async: true })],
        ],
        response: [[adds('token_counter', { token_count: COMPLETION.usage }, { async: true })]],
      },
      { path: '/pool/', request: [[adds('broker', { gl_path: '/pool/gpt4/' }, { modifier: true, required: true })]] },
      {
        path: '/pool/gpt4/',
        router: { outbound: { url: '$LLM', endpoint: 'gpt4/chat/completions?api-version=1&sig=${SIGNATURE}' } },
      },
      {
        path: '/control/',
        request: [
          [
            adds('mock', {
              control: { is_toxic: true },
              control_status_code: 403,
              control_headers: { 'X-Why': ['toxic'], 'Set-Cookie': ['c=1'] },
            }),
          ],
        ],
      },
      { path: '/refused/', router: { outbound: { url: 'http://user:${PASSWORD}@127.0.0.1:1/v1' } } },
      { path: '/plain/' },
      { path: '/required/', request: [[adds('filter', {}, { required: true, service_bus_topic: 'nobody.here' })]] },
    ],
    {
      env: { GATEWAY_API_KEY: 'callers-key', AISERVICE_API_KEY: 'real-key', SIGNATURE: 'signed', PASSWORD: 'pass' },
      config: { log_unauthorized: true, limits: { request_idle_timeout_ms: 3_000 } },
    },
  )
})
after(() => scene.close())
beforeEach(() => {
  scene.records.clear()
  scene.llm.requests.clear()
})

function requestText({ target, method = 'POST', headers = '', body = CHAT }: Case): string {
  const framing =
    method === 'POST' ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : ''
  return `${method} ${target} HTTP/1.1\r\nHost: gateway\r\nuser-AGENT: curl/8.5\r\n${headers}${framing}\r\n${body}`
}

async function compareOne(t: TestContext, name: string): Promise<void> {
  const [record] = await scene.records.waitForCount(1)
  const value = golden(record?.record, { [scene.llm.url]: 'http://llm' })
  t.assert.fileSnapshot(value, join(import.meta.dirname, 'golden', `${name}.json`))
}

for (const one of cases) {
  test(`the record of a call is as expected: ${one.name}`, async (t) => {
    scene.llm.respond(one.llm)
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(requestText(one))
    await compareOne(t, one.name)
  })
}

test('the record of a call that the caller cancelled has the status 499', async (t) => {
  scene.llm.respond(() => ({ kind: 'hang' }))
  const caller = await openRawConnection(scene.gateway.port)
  await caller.send(requestText({ name: '', target: '/plain/x' }))
  await scene.llm.requests.waitFor(({ complete }) => complete)
  caller.close()
  await compareOne(t, 'cancelled')
})

test('the record of a call whose body never arrives (408)', async (t) => {
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(requestText({ name: '', target: '/plain/x' }).slice(0, -5))
  await compareOne(t, 'slow-body')
  assert.match((await caller.ended()).text, /^HTTP\/1.1 408 /)
})

const unrecorded: readonly (readonly [what: string, text: string, status: number])[] = [
  ['404', 'POST /nowhere/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', 404],
  ['400 BAD_PATH', 'POST /plain/../x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', 400],
  ['405', 'TRACE /plain/ HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ['431', `GET /plain/ HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
]

for (const [what, text, status] of unrecorded) {
  test(`no record is published: ${what}`, async () => {
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(text)
    await caller.waitFor(new RegExp(`^HTTP/1.1 ${status} `))
    // The first record is that of this later call, so the earlier call had none.
    await fetch(`${scene.gateway.url}/echo/`, { method: 'POST', body: '{}' })
    const [first] = await scene.records.waitForCount(1)
    assert.equal(first?.field('request.gl_path'), '/echo/')
  })
}
