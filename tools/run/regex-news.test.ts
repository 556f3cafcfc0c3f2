import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRegexNews } from './run.ts'

const INITIALIZED = { service: 'regex', msg: 'processor initialized' }
const WAITS = { service: 'regex', msg: 'processor waits for re2 to be built' }

test('a regex processor that is there from the start is no news, nor is what others say', () => {
  const news = createRegexNews(() => 1)
  for (const entry of [INITIALIZED, { service: 'mock', msg: WAITS.msg }, {}]) assert.equal(news(entry), undefined)
})

test('a regex processor that had to wait is said to join, once', () => {
  const news = createRegexNews(() => 61.25)
  assert.equal(news(WAITS), undefined)
  assert.match(news(INITIALIZED) ?? '', /61\.3 s \(re2 is built/)
  assert.equal(news(INITIALIZED), undefined)
})
