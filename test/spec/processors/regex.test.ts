import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import OpenAI from 'openai'
import { chatAnswer } from '../../conformance/processors.ts'
import { CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { ANSWER_TEXT } from '../../fake/llm-dialects.ts'
import { whyNoProcessor } from '../../fake/processor-program.ts'

// Rules: docs/reference/processors.md#regex

const MARKDOWN = 'Here you are:\n```markdown\n# Title\n- one\n```\nand\n```md\ntwo\n```\n'
const JSON_BLOCK = 'Sure:\n```json\n{"city":"Oslo","__proto__":{"x":1}}\n```\nAnything else?'
const BROKEN = 'Sure:\n```json\n{"city": Oslo}\n```'

const none = { match: false, sections: [] }
const CASES = [
  {
    path: '/markdown/',
    content: MARKDOWN,
    regex: {
      match: true,
      sections: [
        { text: '# Title\n- one', object: null },
        { text: 'two', object: null },
      ],
    },
  },
  { path: '/markdown/', content: 'No block here.', regex: none },
  { path: '/markdown/', content: JSON_BLOCK, regex: none },
  { path: '/json/', content: MARKDOWN, regex: none },
  { path: '/json/', content: BROKEN, regex: { match: true, sections: [{ text: '{"city": Oslo}', object: null }] } },
] as const

describe('the regex processor through the gateway', { skip: whyNoProcessor('regex', process.env) ?? false }, () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: ['regex'] })
  })
  after(() => set.close())

  for (const { path, content, regex } of CASES) {
    it(`${path} adds ${JSON.stringify(regex)} to the answer ${JSON.stringify(content.slice(0, 24))}`, async () => {
      set.llm.respond(() => jsonAnswer(chatAnswer(content)))
      const { status, json, record } = await set.ask(`${path}${CHAT_PATH}`, chat('Write.'))
      assert.equal(status, 200)
      assert.deepEqual(json, { ...chatAnswer(content), regex })
      assert.deepEqual(record.field('response.egress_payload'), json)
      assert.deepEqual(record.field('response.inbound_payload'), chatAnswer(content))
    })
  }

  it('/json/ parses the block that it found, and __proto__ in it is an ordinary key', async () => {
    set.llm.respond(() => jsonAnswer(chatAnswer(JSON_BLOCK)))
    const { text } = await set.ask(`/json/${CHAT_PATH}`, chat('Where?'))
    assert.match(text, /"object":\{"city":"Oslo","__proto__":\{"x":1\}\}/)
  })

  it('the regex processor leaves answers that are no objects, errors and other routers unchanged', async () => {
    for (const [path, body, status] of [
      ['/markdown/', ['```md\nx\n```'], 200],
      ['/markdown/', 'text', 200],
      ['/service/capped/', chatAnswer(MARKDOWN), 200],
    ] as const) {
      set.llm.respond(() => jsonAnswer(body, { status }))
      const answer = await set.ask(`${path}${CHAT_PATH}`, chat('Write.'))
      assert.deepEqual([answer.status, answer.json], [status, body])
    }
  })

  it('the regex processor adds its field to a stream, which the gateway collects for it', async () => {
    set.llm.respond(undefined)
    const body = JSON.stringify(chat('Write.', { stream: true }))
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${set.url}/markdown/${CHAT_PATH}`, { method: 'POST', headers, body })
    const events = (await answer.text()).trim().split('\n\n')
    assert.deepEqual(events.slice(1), ['data: [DONE]'])
    assert.match(events[0] ?? '', /^data: .*"regex":\{"match":false,"sections":\[\]\}/)
  })

  it('the OpenAI SDK can read a stream that the regex processor changed', async () => {
    set.llm.respond(undefined)
    const client = new OpenAI({ baseURL: `${set.url}/markdown/v1`, apiKey: 'any' })
    const stream = await client.chat.completions.create({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'Write.' }],
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    assert.equal(text, ANSWER_TEXT)
  })

  it('without the processor the answer passes unchanged after at most the entry’s timeout', async () => {
    set.programs.get('regex')?.kill('SIGKILL')
    await set.programs.get('regex')?.exited
    set.llm.respond(() => jsonAnswer(chatAnswer(MARKDOWN)))
    const { status, json, record } = await set.ask(`/markdown/${CHAT_PATH}`, chat('Write.'))
    assert.deepEqual([status, json], [200, chatAnswer(MARKDOWN)])
    assert.match(JSON.stringify(record.field('response.error')), /"name":"regex"/)
  })
})
