import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CheckPace } from './check-pace.ts'

const TIMES = { leastPauseMs: 100, mostPauseMs: 1_000 }

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

test('the first checks come at once, later ones in a tenth of the time', () => {
  const times = begins(new CheckPace(TIMES), { lastsMs: 20, count: 100 })
  assert.deepEqual(times.slice(0, 5), [10_000, 10_020, 10_040, 10_100, 10_300])
  assert.equal(times.at(-1), 10_100 + 96 * 200)
})

test('the shortest checks come ten times a second at most', () => {
  const times = begins(new CheckPace(TIMES), { lastsMs: 0, count: 20 })
  assert.deepEqual(times.slice(0, 7), [10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_100])
  assert.equal(times.at(-1), 10_000 + 14 * 100)
})

test('a check after a long one waits a second at most', () => {
  const times = begins(new CheckPace(TIMES), { lastsMs: 5_000, count: 4 })
  assert.deepEqual(times, [10_000, 15_500, 21_500, 27_500])
})

test('after a quiet time a check begins at once again', () => {
  const pace = new CheckPace(TIMES)
  begins(pace, { lastsMs: 20, count: 100 })
  const [first, second] = begins(pace, { fromMs: 60_000, lastsMs: 20, count: 2 })
  assert.deepEqual([first, second], [60_000, 60_020])
})
