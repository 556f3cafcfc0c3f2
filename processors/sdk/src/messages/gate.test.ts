import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGate } from './gate.ts'

const task = (run: () => Promise<void>, bytes = 1) => ({
  bytes,
  flow: '',
  deadline: Number.POSITIVE_INFINITY,
  drop: () => undefined,
  run,
})
const quiet = { overloaded: () => undefined, recovered: () => undefined }

test('tasks beyond the limit wait, and tasks beyond the queue are dropped and counted', async () => {
  const events: string[] = []
  const gate = createGate({
    concurrency: 2,
    waiting: 2,
    waitingBytes: 1_000,
    overloaded: () => events.push('overloaded'),
    recovered: (dropped) => events.push(`recovered ${dropped}`),
  })
  const open = Promise.withResolvers<void>()
  const noting = (name: string) => async () => {
    events.push(name)
    await open.promise
  }
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) gate.run(task(noting(name)))
  assert.deepEqual(events, ['a', 'b', 'overloaded'])
  open.resolve()
  await gate.idle()
  assert.deepEqual(events, ['a', 'b', 'overloaded', 'c', 'd', 'recovered 2'])
})

test('the bytes of waiting tasks are limited too', async () => {
  const ran: string[] = []
  const gate = createGate({ concurrency: 1, waiting: 9, waitingBytes: 10, ...quiet })
  const open = Promise.withResolvers<void>()
  gate.run(task(() => open.promise, 100))
  for (const [name, bytes] of [
    ['six', 6],
    ['seven', 7],
    ['four', 4],
  ] as const) {
    gate.run(task(async () => void ran.push(name), bytes))
  }
  open.resolve()
  await gate.idle()
  assert.deepEqual(ran, ['six', 'four'])
})

test('an unused gate is idle at once', async () => {
  await createGate({ concurrency: 1, waiting: 1, waitingBytes: 1, ...quiet }).idle()
})
