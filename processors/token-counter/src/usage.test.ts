import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS_UNDER_TEST } from '@llm-gateway/protocol/dialects-under-test'
import { compileUsage, countsForCaps } from './usage.ts'

// Rules: docs/reference/processors.md#token-counter, docs/reference/tokencounter-config.md

const DEFAULTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((field) => ({
  field,
  pattern: `inbound_payload.usage.${field}`,
}))
const readUsage = compileUsage([
  { router: 'default', patterns: DEFAULTS },
  { router: '/input/', patterns: [{ field: 'prompt_tokens', pattern: 'inbound_payload.usage.input_tokens' }] },
  { router: '/own/', patterns: [{ field: 'output_tokens', pattern: 'inbound_payload.stats[0].written' }] },
  { router: '/more/', patterns: [...DEFAULTS, { field: 'cached', pattern: 'inbound_payload.usage.details.cached' }] },
])
const counts = (prompt: number, completion: number, total: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: total,
})

const USAGES: readonly (readonly [string, unknown, object | undefined])[] = [
  ['/any/', { usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } }, counts(4, 5, 9)],
  ['/any/', { usage: { input_tokens: 4, output_tokens: 5 } }, counts(4, 5, 9)],
  ['/any/', { usage: { input_tokens: 4, output_tokens: 5, total_tokens: 12 } }, counts(4, 5, 12)],
  ['/any/', { usage: { prompt_tokens: 4, total_tokens: 9 } }, counts(4, 5, 9)],
  ['/any/', { usage: { total_tokens: 9 } }, { total_tokens: 9 }],
  ['/any/', { usage: { completion_tokens: 9 } }, { completion_tokens: 9 }],
  ['/any/', { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }, counts(0, 0, 0)],
  ['/any/', { usage: { prompt_tokens: -4, completion_tokens: 1.5, total_tokens: '9' } }, undefined],
  ['/any/', { usage: null }, undefined],
  ['/any/', 'usage', undefined],
  ['/own/', { stats: [{ written: 7 }] }, { completion_tokens: 7 }],
  ['/own/', { usage: { total_tokens: 9 } }, undefined],
  ['/more/', { usage: { total_tokens: 9, details: { cached: 2 } } }, { total_tokens: 9, cached: 2 }],
  ['/input/', { usage: { input_tokens: 5, cache_read_input_tokens: 90, output_tokens: 5 } }, { prompt_tokens: 95 }],
]

for (const { dialect, payload, usage } of ANSWERS_UNDER_TEST) {
  test(`the default patterns read the usage of ${dialect}`, () => {
    const found = readUsage(['/any/'], new Map([['inbound_payload', payload]]))
    const { prompt, completion, total } = usage ?? {}
    const reported = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }
    const known = Object.fromEntries(Object.entries(reported).filter(([, tokens]) => tokens !== undefined))
    assert.deepEqual(found && Object.fromEntries(found), usage && known)
  })
}

test('usage is read by the router’s patterns or the default patterns; input and output tokens count as prompt and completion', () => {
  for (const [router, payload, expected] of USAGES) {
    const found = readUsage([router], new Map([['inbound_payload', payload]]))
    assert.deepEqual(found && Object.fromEntries(found), expected, JSON.stringify(payload))
  }
})

test('after a re-route the router that answered decides, then the router that was called', () => {
  const message = new Map([['inbound_payload', { stats: [{ written: 7 }], usage: { total_tokens: 1 } }]])
  assert.equal(readUsage(['/own/', '/pool/'], message)?.get('completion_tokens'), 7)
  assert.equal(readUsage(['/pool/gpt4/', '/own/'], message)?.get('completion_tokens'), 7)
  assert.equal(readUsage(['/pool/gpt4/', '/pool/'], message)?.get('total_tokens'), 1)
})

test('the known part of an unknown total counts against caps', () => {
  const forCaps = (fields: object) => Object.fromEntries(countsForCaps(new Map(Object.entries(fields))))
  assert.deepEqual(forCaps({ completion_tokens: 5 }), { completion_tokens: 5, total_tokens: 5 })
  assert.deepEqual(forCaps({ prompt_tokens: 4 }), { prompt_tokens: 4, total_tokens: 4 })
  assert.deepEqual(forCaps({ total_tokens: 9 }), { total_tokens: 9 })
})
