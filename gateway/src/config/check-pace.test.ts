import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CheckPace } from './check-pace.ts'

const TIMES = { leastPauseMs: 20, mostPauseMs: 500 }

/** Returns the begins of checks that follow each other as soon as they may. */
function begins(pace: CheckPace, { fromMs = 10_000, lastsMs = 0, count = 0 }): readonly number[] {
  const times: number[] = []
  for (let nowMs = fromMs; times.length < count; nowMs += lastsMs) {
    nowMs = Math.max(nowMs, pace.nextMs)
    times.push(nowMs)
    pace.note(nowMs, nowMs + lastsMs)
  }
  return times
}

test('the first checks come at once, later ones in a quarter of the time', () => {
  const times = begins(new CheckPace(TIMES), { lastsMs: 20, count: 100 })
  assert.deepEqual(times.slice(32, 36), [10_640, 10_660, 10_720, 10_800])
  assert.equal(times.at(-1), 15_920)
})

test('the shortest checks come fifty times a second at most', () => {
  const times = begins(new CheckPace(TIMES), { lastsMs: 0, count: 120 })
  assert.deepEqual(times.slice(99, 102), [10_000, 10_000, 10_020])
  assert.equal(times.at(-1), 10_380)
})

test('a check after a long one waits half a second at most', () => {
  const times = begins(new CheckPace(TIMES), { lastsMs: 5_000, count: 7 })
  assert.deepEqual(times, [10_000, 15_000, 20_000, 25_000, 30_000, 35_500, 41_000])
})

test('after a quiet time a check begins at once again', () => {
  const pace = new CheckPace(TIMES)
  begins(pace, { lastsMs: 20, count: 100 })
  const [first, second] = begins(pace, { fromMs: 60_000, lastsMs: 20, count: 2 })
  assert.deepEqual([first, second], [60_000, 60_020])
})
