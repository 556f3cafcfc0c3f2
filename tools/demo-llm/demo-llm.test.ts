import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DemoLlm, startDemoLlm } from './demo-llm.ts'

const QUESTION = {
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi there' },
  ],
}

async function withDemo(use: (demo: DemoLlm) => Promise<void>): Promise<void> {
  const demo = await startDemoLlm()
  try {
    await use(demo)
  } finally {
    await demo.close()
  }
}

function ask(demo: DemoLlm, body: unknown, path = '/v1/chat/completions'): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(demo.url + path, { method: 'POST', body: text, headers: { 'Content-Type': 'application/json' } })
}

for (const path of [
  '/v1/chat/completions',
  '/llmapi/deployments/gpt4/chat/completions?api-version=2024-10-21',
  '/chat/completions',
]) {
  test(`the demo LLM answers a chat request at ${path} and says that it is a demo`, () =>
    withDemo(async (demo) => {
      const answer = await jsonOf(ask(demo, QUESTION, path))
      assert.equal(answer.object, 'chat.completion')
      assert.equal(answer.model, 'demo')
      assert.match(answer.choices[0].message.content, /demo answer.*Hi there/)
      assert.equal(answer.choices[0].finish_reason, 'stop')
      const { prompt_tokens, completion_tokens, total_tokens } = answer.usage
      assert.ok(prompt_tokens > 0 && completion_tokens > 0)
      assert.equal(total_tokens, prompt_tokens + completion_tokens)
    }))
}

async function jsonOf(response: Promise<Response>) {
  return JSON.parse(await (await response).text())
}

test('max_tokens cuts the answer and the usage says so', () =>
  withDemo(async (demo) => {
    const answer = await jsonOf(ask(demo, { ...QUESTION, max_tokens: 3 }))
    assert.equal(answer.choices[0].finish_reason, 'length')
    assert.equal(answer.usage.completion_tokens, 3)
  }))

for (const include of [true, false]) {
  test(`a streamed answer is the same text in chunks, ${include ? 'with' : 'without'} usage`, () =>
    withDemo(async (demo) => {
      const whole = await jsonOf(ask(demo, QUESTION))
      const response = await ask(demo, { ...QUESTION, stream: true, stream_options: { include_usage: include } })
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
      const events = (await response.text()).split('\n\n').filter(Boolean)
      assert.equal(events.at(-1), 'data: [DONE]')
      const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)))
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
      assert.equal(text, whole.choices[0].message.content)
      assert.deepEqual(chunks.at(-1).usage, include ? whole.usage : undefined)
    }))
}

test('GET /v1/models lists the one model', () =>
  withDemo(async (demo) => {
    const models = await jsonOf(fetch(`${demo.url}/v1/models`))
    assert.deepEqual(
      models.data.map(({ id }: { id: string }) => id),
      ['demo'],
    )
  }))

const refused: ReadonlyArray<readonly [title: string, body: unknown, path: string, status: number]> = [
  ['not JSON', 'not json', '/v1/chat/completions', 400],
  ['no messages', {}, '/v1/chat/completions', 400],
  ['another path', QUESTION, '/v1/embeddings', 404],
  ['more than 32 MiB', `"${'x'.repeat(34_000_000)}"`, '/v1/chat/completions', 413],
]
for (const [title, body, path, status] of refused) {
  test(`the demo LLM refuses with ${status}: ${title}`, () =>
    withDemo(async (demo) => {
      const response = await ask(demo, body, path)
      assert.equal(response.status, status)
      assert.equal(typeof JSON.parse(await response.text()).error.message, 'string')
    }))
}
