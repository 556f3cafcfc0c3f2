import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchTasks } from '../work/tasks-under-test.ts'
import { WorkQueue } from '../work/work-queue.ts'
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

test('calls that a lost connection ends don’t end in one turn', async () => {
  const calls = new PendingCalls(new WorkQueue(), () => undefined)
  const outcomes = openMany(calls, 60_000)
  using tasks = watchTasks()
  calls.endAll({ kind: 'failed', error: 'disconnected' })
  assert.deepEqual(new Set(await outcomes), new Set(['disconnected']))
  assert.ok(tasks.ms < 50, `a task of ${tasks.ms} ms`)
})
