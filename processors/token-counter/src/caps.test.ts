import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCaps, usedTokensInMemory } from './caps.ts'

// Rules: docs/reference/processors.md#token-counter

const START = 1_763_690_400_000
const capsOf = (fields: readonly { field: string; value: number }[]) =>
  createCaps({ tokenCaps: [{ router: '/capped/', fields }], periodSeconds: 120, usedTokens: usedTokensInMemory() })
const tokens = (total: number, prompt = 0) =>
  new Map([
    ['total_tokens', total],
    ['prompt_tokens', prompt],
  ])

test('a cap is counted in fixed windows, and Retry-After leads to the end of the window', () => {
  const caps = capsOf([{ field: 'total_tokens', value: 100 }])
  assert.equal(START % 120_000, 0)
  assert.equal(caps.book('/capped/', tokens(99), START), undefined)
  assert.equal(caps.retryAfter('/capped/', START), undefined)
  assert.equal(caps.book('/capped/', tokens(1), START + 1), 'total_tokens')
  assert.equal(caps.retryAfter('/capped/', START + 1), 120)
  assert.equal(caps.retryAfter('/capped/', START + 30_000), 90)
  assert.equal(caps.retryAfter('/capped/', START + 119_999), 1)
  assert.equal(caps.retryAfter('/capped/', START + 120_000), undefined)
  assert.equal(caps.book('/capped/', tokens(99), START + 120_000), undefined)
  assert.equal(caps.retryAfter('/capped/', START + 120_000), undefined)
})

test('a reached cap is reported once in each window', () => {
  const caps = capsOf([{ field: 'total_tokens', value: 10 }])
  const reached = [0, 1, 2, 120_000].map((after) => caps.book('/capped/', tokens(11), START + after))
  assert.deepEqual(reached, ['total_tokens', undefined, undefined, 'total_tokens'])
})

test('a cap of 0 is no cap, and each field has a cap of its own', () => {
  const caps = capsOf([
    { field: 'total_tokens', value: 0 },
    { field: 'prompt_tokens', value: 5 },
  ])
  caps.book('/capped/', tokens(1_000_000, 4), START)
  assert.equal(caps.retryAfter('/capped/', START), undefined)
  assert.equal(caps.book('/capped/', tokens(0, 1), START), 'prompt_tokens')
  assert.equal(caps.retryAfter('/capped/', START), 120)
})

test('routers without a cap are never refused and take no memory', () => {
  const booked: string[] = []
  const inMemory = usedTokensInMemory()
  const usedTokens = {
    ...inMemory,
    add: (...args: Parameters<typeof inMemory.add>) => {
      booked.push(args[0])
      inMemory.add(...args)
    },
  }
  const tokenCaps = [{ router: '/open/', fields: [{ field: 'total_tokens', value: 0 }] }]
  const caps = createCaps({ tokenCaps, periodSeconds: 120, usedTokens })
  for (const router of ['/open/', '/other/', '__proto__']) {
    caps.book(router, tokens(1_000), START)
    assert.equal(caps.retryAfter(router, START), undefined)
  }
  assert.deepEqual(booked, [])
})
