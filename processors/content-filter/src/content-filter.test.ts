import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContentFilterOptions, createContentFilter } from './content-filter.ts'
import { NO_SCORES, type Scores } from './scores.ts'

// Rules: docs/reference/processors.md#content-filter

const options: ContentFilterOptions = {
  scorer: { score: async () => NO_SCORES, close: async () => undefined },
  threshold: 0.5,
  rejectStatus: 403,
  texts: 'specified',
  maxCharacters: 100,
  timeoutMs: 1_000,
}
const fields = (content: unknown) =>
  new Map<string, unknown>([['ingress_payload', { messages: [{ role: 'user', content }] }]])
const giving = (scores: Partial<Scores>): ContentFilterOptions => ({
  ...options,
  scorer: { ...options.scorer, score: async () => ({ ...NO_SCORES, ...scores }) },
})

test('a body below the threshold gets six scores and is_toxic, and no control', async () => {
  const scores = { ...NO_SCORES, insult: 0.5 }
  const answer = await createContentFilter(giving(scores))(fields('x'))
  assert.deepEqual(answer, { content_filter: scores, is_toxic: false })
})

for (const category of ['toxicity', 'severe_toxicity', 'obscene', 'threat', 'insult', 'identity_attack'] as const) {
  test(`a request with only ${category} over the threshold is rejected, with the body {is_toxic: true}`, async () => {
    const scores = { ...NO_SCORES, [category]: 0.5001 }
    const answer = await createContentFilter(giving(scores))(fields('x'))
    const control = { control: { is_toxic: true }, control_status_code: 403 }
    assert.deepEqual(answer, { content_filter: scores, is_toxic: true, ...control })
  })
}

test('the threshold and the status are settings', async () => {
  const answer = await createContentFilter({ ...giving({ threat: 0.3 }), threshold: 0.2, rejectStatus: 200 })(
    fields('x'),
  )
  assert.equal(answer?.control_status_code, 200)
})

test('with the action annotate a toxic body is marked and not answered', async () => {
  const answer = await createContentFilter({ ...giving({ threat: 0.9 }), action: 'annotate' })(fields('x'))
  assert.deepEqual(answer, { content_filter: { ...NO_SCORES, threat: 0.9 }, is_toxic: true })
})

test('a body without text gets an empty answer, which a required row accepts', async () => {
  assert.equal(await createContentFilter(options)(fields('')), undefined)
  assert.equal(await createContentFilter(options)(new Map()), undefined)
})

test('a message that cannot be scored completely gets no answer: text too long, scorer failed, time over', async () => {
  await assert.rejects(createContentFilter(options)(fields('x'.repeat(101))), { code: 'TOO_MUCH_TEXT' })
  const failing = { ...options.scorer, score: async () => Promise.reject(new Error('down')) }
  await assert.rejects(createContentFilter({ ...options, scorer: failing })(fields('x')), { message: 'down' })
  const slow = {
    ...options.scorer,
    score: (_: readonly string[], signal: AbortSignal) =>
      new Promise<Scores>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }
  await assert.rejects(createContentFilter({ ...options, scorer: slow, timeoutMs: 1 })(fields('x')), {
    name: 'TimeoutError',
  })
})

test('scored texts are reported with their verdict', async () => {
  const verdicts: boolean[] = []
  const scored = (_: Scores, isToxic: boolean) => void verdicts.push(isToxic)
  await createContentFilter({ ...giving({ obscene: 0.9 }), scored })(fields('x'))
  await createContentFilter({ ...options, scored })(fields('x'))
  assert.deepEqual(verdicts, [true, false])
})
