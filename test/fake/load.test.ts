import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Respond, startLlm } from './llm.ts'
import { jsonAnswer } from './llm-answer.ts'
import { answerLikeAnLlm } from './llm-dialects.ts'
import { startLoad } from './load.ts'

const PATH = '/chat/completions'
const failEveryThird =
  (bad: Respond): Respond =>
  (request) =>
    request.number % 3 === 0 ? bad(request) : answerLikeAnLlm(request.url, request.body)

for (const rate of [undefined, 500]) {
  test(`the load counts correct answers over 16 keep-alive connections at rate ${rate}`, async () => {
    await using llm = await startLlm()
    await using load = startLoad({ port: llm.port, paths: [PATH], ...(rate === undefined ? {} : { rate }) })
    await load.more(200)
    await load.stop()
    assert.deepEqual([load.failed, load.failures], [0, []])
    assert.equal(load.right, llm.requests.total)
    assert.ok(llm.connections <= 16)
  })
}

const failing: Readonly<Record<string, Respond>> = {
  'another status': ({ url, body }) => ({ ...answerLikeAnLlm(url, body), status: 201 }),
  "another request's answer": () => jsonAnswer({ model: 'load-x' }),
  'an empty body': () => ({ kind: 'answer' }),
  'a cut body': () => ({ kind: 'answer', body: ['{"model"'], ending: 'close' }),
  'a reset': () => ({ kind: 'reset' }),
}
for (const [name, bad] of Object.entries(failing)) {
  test(`the load counts a failure: ${name}`, async () => {
    await using llm = await startLlm({ respond: failEveryThird(bad) })
    await using load = startLoad({ port: llm.port, paths: [PATH], rate: 300 })
    await load.more(60)
    await load.stop()
    assert.equal(load.failed, Math.floor(llm.requests.total / 3))
    assert.equal(load.right, llm.requests.total - load.failed)
  })
}

test('a port where nobody listens fails every request', async () => {
  await using load = startLoad({ port: 1, paths: [PATH], rate: 500 })
  await load.more(20)
  await load.stop()
  assert.equal(load.right, 0)
  assert.match(load.failures[0] ?? '', /ECONNREFUSED/)
})
