import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchTasks } from '../work/tasks-under-test.ts'
import { WorkQueue } from '../work/work-queue.ts'
import type { CallOutcome } from './bus.ts'
import { PendingCalls } from './pending-calls.ts'

// Rules: docs/reference/bus.md#failures

/** Keeps the thread busy. */
function burn(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Opens calls whose callers continue for half a millisecond each; returns their outcomes. */
function openMany(calls: PendingCalls, timeoutMs: number): Promise<readonly string[]> {
  return Promise.all(
    Array.from({ length: 500 }, async () => {
      const outcome = await calls.open(timeoutMs, () => undefined)
      burn(0.5)
      return outcome.kind === 'failed' ? outcome.error : outcome.kind
    }),
  )
}

test('calls whose time is over at the same moment don’t end in one turn', async () => {
  const calls = new PendingCalls(new WorkQueue(), () => undefined)
  const outcomes = openMany(calls, 20)
  using tasks = watchTasks()
  assert.deepEqual(new Set(await outcomes), new Set(['timeout']))
  assert.ok(tasks.ms < 50, `a task of ${tasks.ms} ms`)
})

test('a reply that waits to be read when the time of its call is over is taken', async () => {
  const calls = new PendingCalls(new WorkQueue(), () => undefined)
  const tokens: string[] = []
  const open = (timeoutMs: number): Promise<CallOutcome> => calls.open(timeoutMs, (token) => void tokens.push(token))
  calls.noteUnread()
  const answered = open(1)
  const silent = open(1)
  let isSilentOver = false
  void silent.then(() => (isSilentOver = true))
  await timersOf(1)
  assert.equal(isSilentOver, false)
  assert.equal(calls.settle(tokens[0] ?? '', REPLY), true)
  calls.noteRead()
  assert.deepEqual([await answered, await silent], [REPLY, TIMED_OUT])
  assert.deepEqual(await open(1), TIMED_OUT)
})

test('calls end while replies wait to be read in turn after turn', async () => {
  let nowMs = 0
  const calls = new PendingCalls(
    new WorkQueue(),
    () => undefined,
    () => nowMs,
  )
  calls.noteUnread()
  const held = calls.open(1, () => undefined)
  await timersOf(1)
  nowMs += 10_000
  calls.noteUnread()
  assert.deepEqual(await held, TIMED_OUT)
  assert.deepEqual(await calls.open(1, () => undefined), TIMED_OUT)
})

const REPLY: CallOutcome = { kind: 'reply', bytes: Buffer.from('{}') }
const TIMED_OUT: CallOutcome = { kind: 'failed', error: 'timeout' }

/** Waits until the time of earlier calls is over: timers of the same milliseconds end in their order. */
async function timersOf(ms: number): Promise<void> {
  assert.deepEqual(await new PendingCalls(new WorkQueue(), () => undefined).open(ms, () => undefined), TIMED_OUT)
}

test('calls that a lost connection ends don’t end in one turn', async () => {
  const calls = new PendingCalls(new WorkQueue(), () => undefined)
  const outcomes = openMany(calls, 60_000)
  using tasks = watchTasks()
  calls.endAll({ kind: 'failed', error: 'disconnected' })
  assert.deepEqual(new Set(await outcomes), new Set(['disconnected']))
  assert.ok(tasks.ms < 50, `a task of ${tasks.ms} ms`)
})
