import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#request, docs/reference/record.md#payloads

let scene: PipelineScene

before(async () => {
  scene = await startPipelineScene([
    {
      path: '/seen/',
      request: [[{ name: 'asked', input_fields_include: ['ingress_payload', 'outbound_payload'] }]],
      response: [[{ name: 'told', input_fields_include: ['inbound_payload', 'egress_payload'] }]],
    },
    { path: '/passed/' },
  ])
})
after(() => scene.close())

/** The compact JSON of this body has 179 characters (docs/reference/processors.md#character-count). */
const body = {
  messages: [
    { role: 'system', content: 'Assistant is a large language model trained by OpenAI.' },
    { role: 'user', content: 'Who were the founders of Microsoft?' },
  ],
  max_tokens: 15,
}
const spaced = { text: ' a  b\t"c" \n', list: [1, [], {}, { ' ': ' : , ' }], none: null }

for (const [path, shows] of [
  ['/seen/', 'processors and the record'],
  ['/passed/', 'the record'],
] as const) {
  test(`${shows} of ${path} have compact payloads; caller and LLM API get the bytes as they came`, async () => {
    const [asked, told] = [
      `${JSON.stringify(body, undefined, 2)}\n`,
      `\r\n\t${JSON.stringify(spaced, undefined, '\t')} `,
    ]
    scene.llm.requests.clear()
    scene.llm.respond(() => ({ kind: 'answer', body: told }))
    const { body: answered, calls, record } = await scene.ask(path, { method: 'POST', body: asked })
    scene.llm.respond(undefined)
    assert.equal(answered, told)
    assert.equal(scene.llm.requests.entries[0]?.body.toString(), asked)
    const [question, answer] = [JSON.stringify(body), JSON.stringify(spaced)]
    assert.equal(question.length, 179)
    for (const name of ['ingress', 'outbound']) assert.ok(record.text.includes(`"${name}_payload":${question}`), name)
    for (const name of ['inbound', 'egress']) assert.ok(record.text.includes(`"${name}_payload":${answer}`), name)
    if (path === '/passed/') return
    const [first, second] = ['asked', 'told'].map((at) => calls.find(({ name }) => name === at)?.text)
    assert.equal(first, `{"ingress_payload":${question},"outbound_payload":${question}}`)
    assert.equal(second, `{"inbound_payload":${answer},"egress_payload":${answer}}`)
  })
}
