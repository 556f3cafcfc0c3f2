import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TurnClock } from './turn-clock.ts'

/** Keeps the thread busy. */
function burn(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a turn is over once it has lasted its time, and the next turn is not', async () => {
  let ends = 0
  const clock = new TurnClock(5, () => (ends += 1))
  for (let turn = 1; turn <= 3; turn += 1) {
    assert.equal(clock.isOver, false)
    burn(6)
    assert.equal(clock.isOver, true)
    assert.equal(ends, turn - 1)
    await nextTurn()
    assert.equal(ends, turn)
  }
})

test('turns that follow at once are marked every second millisecond', async () => {
  let ends = 0
  const clock = new TurnClock(5, () => (ends += 1))
  const end = performance.now() + 40
  while (performance.now() < end) {
    assert.equal(clock.isOver, false)
    await nextTurn()
  }
  assert.ok(ends >= 1 && ends <= 21, `${ends} marks`)
})
