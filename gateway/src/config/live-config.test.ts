import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLiveConfig } from './runtime-config.ts'

test('a pinned configuration doesn’t change when another goes live', () => {
  const live = createLiveConfig({ serial: 1 })
  const pinned = live.current
  live.swap({ serial: 2 })
  assert.deepEqual([pinned.serial, live.current.serial], [1, 2])
})
