import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { createCounter } from './counter.ts'

const HELLO = { texts: ['hello world', 'Hello, world!'], encodings: ['gpt2', 'cl100k_base'] } as const
/** On a busy machine a thread takes long to start. */
const PATIENT_MS = 60_000
const COUNTED = [
  { tokens: 6, estimated: false },
  { tokens: 6, estimated: false },
]
const real = (): Worker => new Worker(new URL('./counting-thread.ts', import.meta.url))
const thread = (code: string) => (): Worker => new Worker(code, { eval: true })
/** The first thread is this one, those after it are the real one. */
const first = (start: () => Worker) => {
  const threads = [start]
  return () => (threads.shift() ?? real)()
}

test('wire 6: texts are counted for each encoding, in a thread', async () => {
  const { logger, lines } = journalLogger()
  const counter = createCounter({ logger, timeoutMs: PATIENT_MS })
  const replies = await Promise.all([counter.count(HELLO), counter.count({ texts: [], encodings: ['gpt2'] })])
  assert.deepEqual(replies, [COUNTED, [{ tokens: 0, estimated: false }]])
  await counter.close()
  assert.deepEqual(lines.entries, [])
})

const FAILING = [
  {
    what: 'hangs',
    code: "require('node:worker_threads').parentPort.on('message', () => { for (;;); })",
    reason: 'timeout',
  },
  {
    what: 'throws',
    code: "require('node:worker_threads').parentPort.on('message', () => { throw 1 })",
    reason: 'failed',
  },
  {
    what: 'exits',
    code: "require('node:worker_threads').parentPort.on('message', () => process.exit())",
    reason: 'exited',
  },
]

for (const { what, code, reason } of FAILING) {
  test(`a thread that ${what} costs the texts it was at, and the next ones are counted by another`, async () => {
    const { logger, lines } = journalLogger()
    const startThread = first(thread(code))
    // Long enough for a thread to start and load an encoding; the one that hangs must be waited for.
    const counter = createCounter({ logger, startThread, timeoutMs: 15_000 })
    const replies = await Promise.all([counter.count(HELLO), counter.count(HELLO), counter.count(HELLO)])
    assert.deepEqual(replies, [undefined, COUNTED, COUNTED])
    assert.deepEqual(lines.entries, [{ level: 'WARN', message: 'counting thread ended', fields: { reason } }])
    await counter.close()
  })
}

test('texts beyond what may wait are not counted, in number and in characters', async () => {
  const { logger } = journalLogger()
  const few = createCounter({ logger, timeoutMs: PATIENT_MS, maxWaiting: 2 })
  const counted = await Promise.all([1, 2, 3, 4, 5].map(() => few.count(HELLO)))
  assert.deepEqual(counted, [COUNTED, COUNTED, COUNTED, undefined, undefined])
  assert.deepEqual(await few.count(HELLO), COUNTED)
  await few.close()
  const short = createCounter({ logger, timeoutMs: PATIENT_MS, maxWaitingCharacters: 30 })
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => short.count(HELLO))), [COUNTED, COUNTED, undefined])
  await short.close()
})

test('a close ends the thread and what waits, and is no failure', async () => {
  const { logger, lines } = journalLogger()
  const counter = createCounter({ logger })
  const replies = Promise.all([counter.count(HELLO), counter.count(HELLO)])
  await counter.close()
  assert.deepEqual(await replies, [undefined, undefined])
  assert.deepEqual(lines.entries, [])
})
