import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import OpenAI from 'openai'
import { CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'

// Rules: docs/reference/processors.md#content-filter

const TOXIC = 'You are a stupid idiot and I hate you.'
const PADDING_BYTES = 30 * 1024 * 1024
/** The gateway's request_bytes and the bus's max_payload. */
const LIMIT_BYTES = 32 * 1024 * 1024
const SCORES = ['identity_attack', 'insult', 'obscene', 'severe_toxicity', 'threat', 'toxicity']

describe('the content filter through the gateway, with the rows of conf/examples/processors', () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: ['contentfilter'] })
  })
  after(() => set.close())

  it('the content filter rejects a toxic question with 403 and {"is_toxic": true}; no call is made, and the record has the scores', async () => {
    set.llm.requests.clear()
    const { status, json, record } = await set.ask(`/service/standard/${CHAT_PATH}`, chat(TOXIC))
    assert.deepEqual([status, json], [403, { is_toxic: true }])
    assert.equal(set.llm.requests.total, 0)
    const scores = Object.entries(Object(record.field('request.content_filter')))
    assert.deepEqual(scores.map(([name]) => name).toSorted(), SCORES)
    assert.ok(scores.every(([, score]) => typeof score === 'number' && score >= 0 && score <= 1))
    assert.ok(scores.some(([, score]) => Number(score) > 0.5))
    assert.equal(record.field('request.is_toxic'), true)
  })

  it('the content filter forwards a harmless question, and the record has its scores', async () => {
    const { status, record } = await set.ask(`/service/standard/${CHAT_PATH}`, chat('Who founded Microsoft?'))
    assert.equal(status, 200)
    const scores = Object.values(Object(record.field('request.content_filter')))
    assert.equal(scores.length, SCORES.length)
    assert.ok(scores.every((score) => typeof score === 'number' && score <= 0.5))
    assert.equal(record.field('request.control'), null)
  })

  it('the content filter reads no calls of other routers', async () => {
    const { status, record } = await set.ask(`/service/capped/${CHAT_PATH}`, chat(TOXIC))
    assert.equal(status, 200)
    assert.equal(record.field('request.content_filter'), undefined)
  })

  it('an OpenAI SDK client gets a 403 and does not repeat the call', async () => {
    set.llm.requests.clear()
    const client = new OpenAI({ apiKey: 'k', baseURL: `${set.url}/service/standard/v1` })
    const create = (content: string) =>
      client.chat.completions.create({ model: 'gpt-4', messages: [{ role: 'user', content }] })
    await assert.rejects(
      create(TOXIC),
      (error) => error instanceof OpenAI.PermissionDeniedError && error.status === 403,
    )
    assert.equal(set.llm.requests.total, 0)
    assert.match((await create('Who founded Microsoft?')).choices[0]?.message.content ?? '', /Bill Gates/)
  })

  it('the content filter lets no padded text pass: with 30 MB the call is rejected, beyond the bus’s limit it is an error', async () => {
    set.llm.requests.clear()
    const padding = 'x'.repeat(PADDING_BYTES)
    for (const body of [
      chat(TOXIC, { padding }),
      { padding, ...chat(TOXIC) },
      chat(`${padding} ${TOXIC}`),
      chat(`${TOXIC} ${padding}`),
      // The gateway accepts this body, but the message around it exceeds the bus's limit.
      chat(TOXIC, { padding: 'x'.repeat(LIMIT_BYTES - 200) }),
    ]) {
      const headers = { 'Content-Type': 'application/json' }
      const url = `${set.url}/service/standard/${CHAT_PATH}`
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await answer.text()
      assert.ok([403, 503].includes(answer.status), `${answer.status}`)
      assert.match(text, answer.status === 403 ? /^\{"is_toxic":true\}$/ : /PROCESSOR_REQUIRED/)
    }
    assert.equal(set.llm.requests.total, 0)
  })

  it('without the content filter, which is required, the caller gets 503 PROCESSOR_REQUIRED and no call is made', async () => {
    set.llm.requests.clear()
    set.programs.get('contentfilter')?.kill('SIGKILL')
    await set.programs.get('contentfilter')?.exited
    const { status, json, record } = await set.ask(`/service/standard/${CHAT_PATH}`, chat('Hello'))
    assert.equal(status, 503)
    assert.match(JSON.stringify(json), /"type":"policy_unavailable","code":"PROCESSOR_REQUIRED"/)
    assert.equal(set.llm.requests.total, 0)
    assert.equal(record.field('error_type'), 'policy_unavailable')
    await set.start('contentfilter')
    assert.equal((await set.ask(`/service/standard/${CHAT_PATH}`, chat('Hello'))).status, 200)
  })
})

test('a question passes without the content filter if the row does not require it', async () => {
  const optional = { request: { processors: [[ENTRY]] } }
  await using set = await startExampleSet({ processors: [], change: (config) => ({ ...config, ...optional }) })
  const { status, record } = await set.ask(`/service/standard/${CHAT_PATH}`, chat(TOXIC))
  assert.equal(status, 200)
  assert.match(JSON.stringify(record.field('request.error')), /"name":"content_filter".*no responders/)
})

const ENTRY = {
  name: 'content_filter',
  service_bus_topic: 'llm.gl.contentfilter',
  timeout: 5_000,
  input_fields_include: ['ingress_payload', 'gl_path'],
  output_fields_write: ['content_filter', 'is_toxic', 'control', 'control_status_code'],
  routers: ['/service/standard/'],
}
