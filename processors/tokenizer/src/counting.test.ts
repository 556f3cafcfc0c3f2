import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createCounting } from './counting.ts'
import { encodingsOf, tokenizerSettings } from './settings.ts'

// Rules: docs/reference/processors.md#tokenizer

const REQUEST = { texts: ['hello world'], encodings: ['gpt2', 'o200k_base'] } as const

const TWO = { tokens: 2, estimated: false }

test('the encodings are loaded before the first count, which needs no turn for them', async () => {
  const count = await createCounting(REQUEST.encodings)
  assert.deepEqual(await count(REQUEST, { stopped: afterOneLookPerEncoding() }), [TWO, TWO])
})

test('an encoding that no setting names is loaded by the first count that needs it', async () => {
  const count = await createCounting(['gpt2'])
  assert.deepEqual(await count(REQUEST), [TWO, TWO])
})

test('the loading of an encoding goes on after its count was given up', async () => {
  const count = await createCounting(['gpt2'])
  assert.equal(await count(REQUEST, { stopped: afterOneLookPerEncoding() }), undefined)
  let counts = await count(REQUEST, { stopped: afterOneLookPerEncoding() })
  for (const end = performance.now() + 60_000; counts === undefined && performance.now() < end; await nextTurn())
    counts = await count(REQUEST, { stopped: afterOneLookPerEncoding() })
  assert.deepEqual(counts, [TWO, TWO])
})

/** Returns a `stopped` that gives a count up which looks more than once for each encoding, as one does that waits. */
function afterOneLookPerEncoding(): () => boolean {
  let looks = 0
  return () => {
    looks += 1
    return looks > REQUEST.encodings.length
  }
}

test('the encodings of all routers are loaded, once, and all encodings where a model may name them', () => {
  const routers = [
    { router: 'default', encodings: ['gpt2', 'o200k_base'] },
    { router: '/a/', encodings: ['o200k_base'] },
  ]
  assert.deepEqual(encodingsOf(tokenizerSettings.parse({ routers })), ['gpt2', 'o200k_base'])
  assert.equal(encodingsOf(tokenizerSettings.parse({ routers, by_model: true })).length, 6)
  assert.deepEqual(encodingsOf(tokenizerSettings.parse({})), ['gpt2'])
})
