import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { MASKED } from '@llm-gateway/protocol'
import { Secret } from './secret.ts'

// Rules: docs/reference/record.md#masks

const planted = 'sk-planted'

test('a secret shows its mask in every form of printing', () => {
  const secret = new Secret(planted)
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
  ]
  for (const text of printed) assert.equal(text.includes(planted), false, text)
  assert.equal(String(secret), MASKED)
  assert.equal(JSON.stringify({ secret }), JSON.stringify({ secret: MASKED }))
})

test('a secret reveals exactly the text it was made from, also the empty text', () => {
  assert.equal(new Secret(planted).reveal(), planted)
  assert.equal(new Secret('').reveal(), '')
})
