import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTasks } from '../work/tasks-under-test.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { statusPieces, statusText } from './status.ts'

// Rules: docs/reference/configuration-rules.md#status

const STATUS = {
  version: '1.0.0',
  digest: 'sha256:00',
  values_revision: '41',
  reload: { result: 'ok', time: '2026-01-01T00:00:00Z', reason: '' },
  routers: { active: 100_000, rejected: 0, disabled: 0, internal: 0 },
  rejected_fields: {},
  rejected_routers: [],
  bus: 'connected',
} as const

test('the entries of 100,000 routers come in the order of the file, and no task takes 50 ms of CPU time', async () => {
  const hash = '0'.repeat(64)
  const entries = new Map(Array.from({ length: 100_000 }, (_, index) => [`/team-${index}/`, hash]))
  await assertShortTurns(50, async () => {
    using longest = watchTasks()
    const pieces = await statusPieces(STATUS, entries, new WorkQueue())
    await nextTurn()
    const { ms } = longest
    const status = JSON.parse(Buffer.concat(pieces).toString())
    assert.deepEqual(status, { ...STATUS, entries: Object.fromEntries(entries) })
    assert.deepEqual(Object.keys(status.entries).slice(0, 2), ['/team-0/', '/team-1/'])
    return ms
  })
})

test('a status has no list of entries unless it is asked for; an empty list gives an empty object', async () => {
  assert.deepEqual(JSON.parse(statusText(STATUS)), STATUS)
  const empty = JSON.parse(Buffer.concat(await statusPieces(STATUS, new Map(), new WorkQueue())).toString())
  assert.deepEqual(empty, { ...STATUS, entries: {} })
})
