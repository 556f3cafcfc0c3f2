import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { PIECE_LENGTH } from './cut-text.ts'
import { createThreadRecognizer } from './thread-recognizer.ts'

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

test('a long text is searched while short texts always wait', async () => {
  const { logger } = journalLogger()
  const recognizer = createThreadRecognizer({ logger, timeoutMs: TIMEOUT_MS })
  let shorts = 0
  let hasEnded = false
  const askShorts = async (): Promise<void> => {
    for (; shorts < 100 && !hasEnded; shorts += 1) await recognizer.entities('Paris')
  }
  const flood = [askShorts(), askShorts()]
  const words = 'and so we went on and on. '
  assert.deepEqual(await recognizer.entities(words.repeat((2 * PIECE_LENGTH) / words.length)), [])
  hasEnded = true
  await Promise.all(flood)
  assert.ok(shorts < 100, `${shorts} short texts were first`)
  await recognizer.close()
})

test('a text whose time is over gets no answer, and the texts after it are answered', async () => {
  const { logger } = journalLogger()
  const recognizer = createThreadRecognizer({ logger, timeoutMs: TIMEOUT_MS })
  await assert.rejects(recognizer.entities('Paris', 0), { code: 'TIMEOUT' })
  assert.deepEqual(await recognizer.entities('Paris', TIMEOUT_MS), [{ text: 'Paris', label: 'GPE' }])
  await recognizer.close()
})

test('texts beyond the waiting limit, and those waiting at a close, get no answer', async () => {
  const { logger } = journalLogger()
  const recognizer = createThreadRecognizer({ logger, timeoutMs: TIMEOUT_MS })
  const all = Promise.allSettled(Array.from({ length: 1_030 }, () => recognizer.entities('Paris')))
  await recognizer.close()
  const codes = (await all).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'answered'))
  assert.deepEqual(new Set(codes), new Set(['CLOSED', 'OVERLOADED']))
})
