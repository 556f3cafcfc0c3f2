import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import OpenAI from 'openai'
import { CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'

// Rules: docs/reference/processors.md#token-counter

const PATH = '/service/capped/'
const PERIOD_SECONDS = 100_000
const CAPS = [{ router: PATH, fields: [{ field: 'total_tokens', value: 100 }] }]
const USAGE = { prompt_tokens: 40, completion_tokens: 30, total_tokens: 70 }

describe('the token counter’s caps through the gateway', () => {
  let set: ExampleSet
  before(async () => {
    // A window so long that none ends during the test.
    const settings = { cap_period_seconds: PERIOD_SECONDS, token_caps: CAPS }
    set = await startExampleSet({ processors: ['tokencounter'], options: { tokencounter: { settings } } })
    set.llm.respond(() => jsonAnswer({ choices: [], usage: USAGE }))
  })
  after(() => set.close())

  it('calls pass until the cap is reached; then the caller gets 429 with Retry-After and no call is made', async () => {
    for (const _ of ['first', 'second']) assert.equal((await set.ask(`${PATH}${CHAT_PATH}`, chat('Hello'))).status, 200)
    assert.equal(set.llm.requests.total, 2)
    const { status, headers, json, record } = await set.ask(`${PATH}${CHAT_PATH}`, chat('Hello'))
    assert.equal(status, 429)
    assert.deepEqual(json, { Error: 'Consumption Cap Exceeded. Try again later', Path: PATH })
    const retryAfter = Number(headers.get('retry-after'))
    assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= PERIOD_SECONDS, `${retryAfter}`)
    assert.equal(set.llm.requests.total, 2)
    assert.deepEqual(record.field('request.control'), json)
    assert.equal(record.field('response.egress_status_code'), 429)
  })

  it('an OpenAI SDK client gets a RateLimitError', async () => {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${set.url}${PATH}v1`, maxRetries: 0 })
    const create = client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
    await assert.rejects(create, OpenAI.RateLimitError)
  })

  it('the token counter caps no other router and does not count answers of a cap', async () => {
    const { status, record } = await set.ask(`/json/${CHAT_PATH}`, chat('Hello'))
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(record.field('response.token_count'), USAGE)
    const refused = await set.ask(`${PATH}${CHAT_PATH}`, chat('Hello'))
    assert.equal(refused.record.field('response.token_count'), undefined)
  })

  const READ: readonly (readonly [dialect: string, payload: object, count: object])[] = [
    [
      'Gemini',
      { candidates: [], usageMetadata: { promptTokenCount: 5_000, candidatesTokenCount: 2, totalTokenCount: 5_002 } },
      { prompt_tokens: 5_000, completion_tokens: 2, total_tokens: 5_002 },
    ],
    [
      'Anthropic with a cache',
      { content: [], usage: { input_tokens: 5, cache_read_input_tokens: 91_000, output_tokens: 4 } },
      { prompt_tokens: 91_005, completion_tokens: 4, total_tokens: 91_009 },
    ],
    ['no usage', { choices: [{ message: { content: 'Hello, world!' } }] }, { completion_tokens: 4, estimated: true }],
  ]
  for (const [dialect, payload, count] of READ) {
    it(`the token counter counts an answer of ${dialect} by its usage`, async () => {
      set.llm.respond(() => jsonAnswer(payload))
      const { record } = await set.ask(`/json/${CHAT_PATH}`, chat('Hello'))
      assert.deepEqual(record.field('response.token_count'), count)
    })
  }

  it('without the processor, which is not required, calls pass', async () => {
    set.programs.get('tokencounter')?.kill('SIGKILL')
    await set.programs.get('tokencounter')?.exited
    assert.equal((await set.ask(`${PATH}${CHAT_PATH}`, chat('Hello'))).status, 200)
  })
})
