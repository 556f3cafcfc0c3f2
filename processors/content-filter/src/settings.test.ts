import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { contentFilter } from './definition.ts'
import { contentFilterSettings } from './settings.ts'

// Rules: docs/reference/processors.md#content-filter, docs/reference/environment-variables.md#single-processors

test('an empty file selects the built-in scorer, threshold 0.5, status 403 and the specified text', () => {
  const { threshold, reject_status, action, texts, scorer } = contentFilterSettings.parse({})
  assert.deepEqual(
    { threshold, reject_status, action, texts, scorer },
    { threshold: 0.5, reject_status: 403, action: 'reject', texts: 'specified', scorer: 'built_in' },
  )
})

test('THRESHOLD and REJECT_STATUS override the defaults', () => {
  assert.deepEqual(contentFilter('1.0.0').variables, { THRESHOLD: 'threshold', REJECT_STATUS: 'reject_status' })
  const { threshold, reject_status } = contentFilterSettings.parse({ threshold: '0.8', reject_status: '422' })
  assert.deepEqual({ threshold, reject_status }, { threshold: 0.8, reject_status: 422 })
})

const REFUSED: readonly object[] = [
  { threshold: 1.1 },
  { threshold: -0.1 },
  { threshold: 'half' },
  { action: 'log' },
  { reject_status: 199 },
  { reject_status: 600 },
  { reject_status: 403.5 },
  { scorer: 'other' },
  { texts: 'some' },
  { endpoint: { categories: { hate: 'rudeness' } } },
  { onnx: { dtype: 'fp64' } },
]
for (const settings of REFUSED) {
  test(`${JSON.stringify(settings)} is refused`, () =>
    assert.equal(contentFilterSettings.safeParse(settings).success, false))
}

test('verdicts and categories over the threshold are counted', async () => {
  const context = contextUnderTest()
  const filter = await contentFilter('1.0.0').create(contentFilterSettings.parse({}), context)
  const ask = (content: string) =>
    filter.answer(new Map([['ingress_payload', { messages: [{ role: 'user', content }] }]]))
  await ask('hello')
  await ask('what a load of bullshit')
  const metrics = await context.metrics.metrics()
  assert.match(metrics, /llm_content_filter_requests_total\{verdict="toxic"\} 1/)
  assert.match(metrics, /llm_content_filter_requests_total\{verdict="clean"\} 1/)
  assert.match(metrics, /llm_content_filter_over_threshold_total\{category="obscene"\} 1/)
  assert.match(metrics, /llm_content_filter_over_threshold_total\{category="threat"\} 0/)
  await filter.close?.()
})
