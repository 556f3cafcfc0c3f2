import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { createEstimator } from './estimator.ts'
import { SAMPLE_LENGTH, samplePieces, scaledCount } from './sample.ts'

// Rules: docs/reference/processors.md#token-counter

const { logger } = journalLogger()
const whole = (text: string) => ({ beginning: text, length: text.length })

test('the tokens of a text are estimated with its encoding', async () => {
  const estimator = createEstimator({ logger })
  const texts = ['Hello, world!', 'The founders of Microsoft are Bill Gates and Paul Allen.', '', '<|endoftext|>']
  const counts = await Promise.all(texts.map((text) => estimator.estimate(whole(text), '/a/')))
  assert.deepEqual(counts, [4, 11, 0, 7])
  await estimator.close()
})

test('a slow text is counted within bounds, and the count of a text longer than the sample is scaled', async () => {
  const estimator = createEstimator({ logger })
  const word = await estimator.estimate(whole('a'.repeat(SAMPLE_LENGTH)), '/a/')
  assert.equal(await estimator.estimate(whole('a'.repeat(SAMPLE_LENGTH * 10)), '/a/'), word * 10)
  assert.ok(word > 0 && word < SAMPLE_LENGTH)
  await estimator.close()
})

test('a thread that was ended for idleness is started again and no count is lost; after a close four characters count as a token', async () => {
  const estimator = createEstimator({ logger, idleMs: 1 })
  const counts = [
    await estimator.estimate(whole('<|endoftext|>'), '/a/'),
    await estimator.estimate(whole('<|endoftext|>'), '/a/'),
  ]
  await estimator.close()
  counts.push(await estimator.estimate(whole('<|endoftext|>'), '/a/'))
  assert.deepEqual(counts, [7, 7, 4])
})

test('four characters count as a token when too many texts wait or the thread is lost', async () => {
  const estimator = createEstimator({ logger })
  const counts = Promise.all(Array.from({ length: 300 }, () => estimator.estimate(whole('<|endoftext|>'), '/a/')))
  await estimator.close()
  assert.deepEqual(new Set(await counts), new Set([4]))
})

test('a text is estimated before the waiting texts of another router, and has a place beside them', async () => {
  const estimator = createEstimator({ logger })
  const counts: { readonly router: string; readonly tokens: number }[] = []
  const estimate = async (router: string): Promise<void> => {
    counts.push({ router, tokens: await estimator.estimate(whole('<|endoftext|>'), router) })
  }
  const flood = Array.from({ length: 300 }, () => estimate('/flood/'))
  await estimate('/other/')
  const counted = counts.filter(({ tokens }) => tokens === 7)
  assert.ok(counted.findIndex(({ router }) => router === '/other/') >= 0, 'not counted')
  assert.ok(counted.length < 10, `${counted.length} counts`)
  await Promise.all(flood)
  await estimator.close()
})

test('the pieces of a sample cover the whole sample, and each piece is short', () => {
  for (const text of [
    'a b  c\n\n\nd',
    'x'.repeat(100),
    ' '.repeat(50),
    '机器学习'.repeat(20),
    '👩‍👩‍👧‍👦'.repeat(9),
    '\ud800 lone',
  ]) {
    const pieces = samplePieces(text)
    assert.equal(pieces.join(''), text)
    assert.ok(pieces.every((piece) => piece.length <= 34))
  }
})

test('the count of a short text is not scaled', () => {
  assert.equal(scaledCount(3, 10), 3)
  assert.equal(scaledCount(100, SAMPLE_LENGTH * 2), 200)
})
