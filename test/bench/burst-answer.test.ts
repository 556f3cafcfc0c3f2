import assert from 'node:assert/strict'
import { test } from 'node:test'
import { burstEvent, travelledUs } from './burst-answer.ts'

test('an event has 300 bytes and contains the time at which it was written', () => {
  const bytes = Buffer.from(`${burstEvent(1_000)}12c\r\n${burstEvent(2_500)}`)
  assert.equal(Buffer.byteLength(burstEvent()), 300)
  assert.deepEqual(travelledUs(bytes, 3_000), [2_000, 500])
})

test('an incomplete event is not counted', () => {
  assert.deepEqual(travelledUs(Buffer.from(burstEvent(1_000).slice(0, 100)), 3_000), [])
})
