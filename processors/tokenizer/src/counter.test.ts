import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { createCounter } from './counter.ts'
import { slowText } from './slow-text-under-test.ts'

// Rules: docs/reference/processors.md#tokenizer

const HELLO = { texts: ['hello world', 'Hello, world!'], encodings: ['gpt2', 'cl100k_base'] } as const
/** On a busy machine a thread takes long to start. */
const PATIENT_MS = 60_000
const COUNTED = [
  { tokens: 6, estimated: false },
  { tokens: 6, estimated: false },
]
test('texts are counted for each encoding, in a thread', async () => {
  const { logger, lines } = journalLogger()
  const counter = createCounter({ encodings: HELLO.encodings, logger, timeoutMs: PATIENT_MS })
  const replies = await Promise.all([counter.count(HELLO), counter.count({ texts: [], encodings: ['gpt2'] })])
  assert.deepEqual(replies, [COUNTED, [{ tokens: 0, estimated: false }]])
  await counter.close()
  assert.deepEqual(lines.entries, [])
})

test('a long text is counted while short texts always wait', async () => {
  const { logger } = journalLogger()
  const counter = createCounter({ encodings: HELLO.encodings, logger, timeoutMs: PATIENT_MS })
  let shorts = 0
  let hasEnded = false
  const askShorts = async (): Promise<void> => {
    for (; shorts < 100 && !hasEnded; shorts += 1) await counter.count(HELLO)
  }
  const flood = [askShorts(), askShorts()]
  assert.equal((await counter.count({ texts: [slowText(10_000)], encodings: ['gpt2'] }))?.length, 1)
  hasEnded = true
  await Promise.all(flood)
  assert.ok(shorts < 100, `${shorts} short texts were first`)
  await counter.close()
})

test('texts that take too long are not counted, and the next texts are', async () => {
  const { logger } = journalLogger()
  const counter = createCounter({ encodings: HELLO.encodings, logger, timeoutMs: PATIENT_MS })
  assert.equal(await counter.count(HELLO, { timeoutMs: 0 }), undefined)
  assert.deepEqual(await counter.count(HELLO), COUNTED)
  await counter.close()
})

test('texts that are given up while the thread counts them are counted no further', async () => {
  const { logger, lines } = journalLogger()
  const counter = createCounter({ encodings: HELLO.encodings, logger, timeoutMs: PATIENT_MS })
  assert.deepEqual(await counter.count(HELLO), COUNTED)
  const slow = { texts: [slowText(16 * 1024 * 1024)], encodings: HELLO.encodings }
  assert.equal(await counter.count(slow, { timeoutMs: 200 }), undefined)
  assert.deepEqual(await counter.count(HELLO), COUNTED)
  await counter.close()
  // No thread was ended.
  assert.deepEqual(lines.entries, [])
})

test('a close ends the thread and the waiting texts without a failure', async () => {
  const { logger, lines } = journalLogger()
  const counter = createCounter({ encodings: HELLO.encodings, logger })
  const replies = Promise.all([counter.count(HELLO), counter.count(HELLO)])
  await counter.close()
  assert.deepEqual(await replies, [undefined, undefined])
  assert.deepEqual(lines.entries, [])
})
