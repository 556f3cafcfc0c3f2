import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { createThreadRecognizer, PIECE_LENGTH } from './thread-recognizer.ts'

const STUBBORN = new URL('./stubborn-worker-under-test.ts', import.meta.url)
const TIMEOUT_MS = 60_000

test('a text of many pieces has the entities of all of them, in order', async () => {
  const { logger } = journalLogger()
  const recognizer = createThreadRecognizer({ logger, timeoutMs: TIMEOUT_MS })
  const filler = 'and so we went on and on. '.repeat(PIECE_LENGTH / 26)
  const entities = await recognizer.entities(`Paris ${filler}Berlin ${filler}Madrid`)
  await recognizer.close()
  assert.deepEqual(
    entities.map(({ text, label }) => `${text}=${label}`),
    ['Paris=GPE', 'Berlin=GPE', 'Madrid=GPE'],
  )
})

test('a thread that hangs, fails or ends is replaced: its text has no answer, those that wait have one', async () => {
  for (const [text, code, timeoutMs] of [
    // Also the time that the next thread has to start and to answer.
    ['hang', 'THREAD_TIMEOUT', 10_000],
    ['throw', 'THREAD_FAILED', TIMEOUT_MS],
    ['exit', 'THREAD_ENDED', TIMEOUT_MS],
  ] as const) {
    const { logger, lines } = journalLogger()
    const recognizer = createThreadRecognizer({ logger, timeoutMs, program: STUBBORN })
    const bad = assert.rejects(recognizer.entities(text), { name: 'RecognizerError', code })
    const good = recognizer.entities('fine')
    await bad
    assert.deepEqual(await good, [{ text: 'fine', label: 'ORG' }])
    assert.deepEqual(lines.entries, [{ level: 'ERROR', message: 'recognizer thread replaced', fields: { code } }])
    await recognizer.close()
  }
})

test('what a thread answers that is no entity is left out', async () => {
  const { logger } = journalLogger()
  const recognizer = createThreadRecognizer({ logger, timeoutMs: TIMEOUT_MS, program: STUBBORN })
  assert.deepEqual(await recognizer.entities('nonsense'), [])
  assert.deepEqual(await recognizer.entities('no array'), [])
  await recognizer.close()
})

test('more texts than may wait, and those that wait at a close, have no answer', async () => {
  const { logger } = journalLogger()
  const recognizer = createThreadRecognizer({ logger, timeoutMs: TIMEOUT_MS, program: STUBBORN })
  const all = Promise.allSettled(Array.from({ length: 1_030 }, () => recognizer.entities('hang')))
  await recognizer.close()
  const codes = (await all).map((one) => (one.status === 'rejected' ? one.reason.code : 'answered'))
  assert.deepEqual(new Set(codes), new Set(['CLOSED', 'OVERLOADED']))
  assert.equal(codes.filter((code) => code === 'OVERLOADED').length, 1_030 - 1_025)
})
