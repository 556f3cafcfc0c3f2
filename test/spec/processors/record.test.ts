import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import OpenAI from 'openai'
import { CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'
import { answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { PROCESSOR_NAMES, whyNoProcessor } from '../../fake/processor-program.ts'

// Rules: docs/reference/processors.md

const SPECIFIED = {
  messages: [
    { role: 'system', content: 'Assistant is a large language model trained by OpenAI.' },
    { role: 'user', content: 'Who were the founders of Microsoft?' },
  ],
  max_tokens: 15,
}

describe('the fields that processors add to a record, with the rows of conf/examples/processors', () => {
  let set: ExampleSet
  before(async () => {
    const processors = PROCESSOR_NAMES.filter((name) => whyNoProcessor(name, process.env) === undefined)
    set = await startExampleSet({ processors })
  })
  after(() => set.close())

  it('the character count of the reference’s example is 179', async () => {
    const { status, record } = await set.ask(`/service/capped/${CHAT_PATH}`, SPECIFIED)
    assert.equal(status, 200)
    assert.equal(record.field('request.character_count'), 179)
  })

  it('the tokenizer counts the question and the answer, independent of the usage of the LLM API', async () => {
    const { record } = await set.ask(`/json/${CHAT_PATH}`, SPECIFIED)
    // GPT-2 tokens of "Assistant is … OpenAI." and "Who were … Microsoft?", and of "The founders of …".
    assert.deepEqual(record.field('request.tokenizer'), { gpt2: 18 })
    assert.deepEqual(record.field('response.tokenizer'), { gpt2: 11 })
  })

  it('the record lists the entities of the question and of the answer', async () => {
    const { record } = await set.ask(`/json/${CHAT_PATH}`, SPECIFIED)
    const [asked, answered] = ['request', 'response'].map((side) => record.field(`${side}.nlp_entities.entities`))
    assert.ok(JSON.stringify(asked).includes('{"text":"Microsoft","label":"ORG"}'), JSON.stringify(asked))
    assert.deepEqual(answered, [
      { text: 'Microsoft', label: 'ORG' },
      { text: 'Bill Gates', label: 'PERSON' },
      { text: 'Paul Allen', label: 'PERSON' },
    ])
  })

  it('the token counter reports the usage from the answer of the LLM API', async () => {
    const { record } = await set.ask(`/json/${CHAT_PATH}`, SPECIFIED)
    assert.partialDeepStrictEqual(record.field('response.token_count'), {
      prompt_tokens: 13,
      completion_tokens: 11,
      total_tokens: 24,
    })
  })

  it('the record names each processor as completed, after the answer', async () => {
    const { record } = await set.ask(`/json/${CHAT_PATH}`, SPECIFIED)
    for (const [side, names] of [
      ['request', ['tokenizer', 'nlp_entities', 'character_count']],
      ['response', ['token_counter', 'tokenizer', 'nlp_entities']],
    ] as const) {
      const entries = JSON.stringify(record.field(`${side}.processors_async`))
      for (const name of names)
        assert.match(entries, new RegExp(`"name":"${name}","details":\\{"required":false,"completed":true`), name)
    }
  })

  it('with all processors running a stream stays a stream, and its record has every field', async () => {
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    set.llm.respond(({ url, body }) => answerLikeAnLlm(url, body, { before: (index) => gates[index]?.promise }))
    const client = new OpenAI({ apiKey: 'k', baseURL: `${set.url}/service/standard/v1` })
    gates[0]?.resolve()
    gates[1]?.resolve()
    const { data: stream, response } = await client.chat.completions
      .create({ model: 'gpt-4', stream: true, messages: [{ role: 'user', content: 'Who founded Microsoft?' }] })
      .withResponse()
    let text = ''
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      // The third event is sent only after the first two have arrived.
      if (text !== '') gates[2]?.resolve()
    }
    set.llm.respond(undefined)
    assert.match(text, /Bill Gates and Paul Allen/)
    const id = response.headers.get('session-id')
    const record = await set.records.waitFor((seen) => seen.record.transaction_id === id)
    assert.equal(record.field('response.stream'), true)
    assert.deepEqual(record.field('response.tokenizer'), { gpt2: 11 })
    assert.match(JSON.stringify(record.field('response.nlp_entities')), /Bill Gates/)
  })

  it('without any of the processors the answer passes, and the record lacks only their fields and has their errors', async () => {
    for (const program of set.programs.values()) {
      program.kill('SIGKILL')
      await program.exited
    }
    const { status, record } = await set.ask(`/json/${CHAT_PATH}`, chat('Hello'))
    assert.equal(status, 200)
    for (const name of ['tokenizer', 'nlp_entities', 'character_count', 'token_counter'])
      assert.match(JSON.stringify(record.field('request.error')), new RegExp(`"name":"${name}"`))
  })
})
