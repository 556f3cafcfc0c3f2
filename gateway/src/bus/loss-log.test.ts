import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LossLog } from './loss-log.ts'

type Line = readonly [level: string, msg: string, fields: object]

function lostRecordsUnderTest() {
  const lines: Line[] = []
  const at = (level: string) => (fields: object, msg: string) => lines.push([level, msg, fields])
  const clock = { nowMs: 0 }
  const lost = new LossLog({ logger: { info: at('INFO'), warn: at('WARN') }, nowMs: () => clock.nowMs })
  return { lines, clock, lost }
}

test('the first lost record is logged at once, the number of further lost records at most every 5 s', () => {
  const { lines, clock, lost } = lostRecordsUnderTest()
  lost.add(1, 'queue_full')
  assert.deepEqual(lines, [['WARN', 'records lost', { lost: { queue_full: 1 }, total: { queue_full: 1 } }]])
  for (clock.nowMs = 1; clock.nowMs < 10_000; clock.nowMs++) {
    lost.add(1, 'queue_full')
    if (clock.nowMs % 1_000 === 0) {
      lost.add(2, 'too_large')
      lost.logFurther()
    }
  }
  assert.deepEqual(lines.slice(1), [
    [
      'WARN',
      'records lost',
      { lost: { queue_full: 5_000, too_large: 10 }, total: { queue_full: 5_001, too_large: 10 } },
    ],
  ])
})

test('the end of losses is logged once, 5 s after the last lost record, with the totals', () => {
  const { lines, clock, lost } = lostRecordsUnderTest()
  const counts: (readonly [atMs: number, lines: number])[] = []
  lost.add(3, 'queue_full')
  clock.nowMs = 2_000
  lost.add(4, 'queue_full')
  for (const atMs of [4_999, 5_000, 9_999, 10_000, 60_000]) {
    clock.nowMs = atMs
    lost.logFurther()
    counts.push([atMs, lines.length])
  }
  assert.deepEqual(counts, [
    [4_999, 1],
    [5_000, 2],
    [9_999, 2],
    [10_000, 3],
    [60_000, 3],
  ])
  assert.deepEqual(lines.at(-1), ['INFO', 'no further records lost', { total: { queue_full: 7 } }])
  lost.add(1, 'queue_full')
  assert.deepEqual(lines.at(-1), ['WARN', 'records lost', { lost: { queue_full: 1 }, total: { queue_full: 8 } }])
})

test('when the process ends, the totals are logged if records were lost', () => {
  const none = lostRecordsUnderTest()
  none.lost.logFurther()
  none.lost.logTotals()
  assert.deepEqual(none.lines, [])
  const { lines, lost } = lostRecordsUnderTest()
  lost.add(1, 'queue_full')
  lost.add(5, 'exit')
  lost.logTotals()
  const numbers = { lost: { exit: 5 }, total: { queue_full: 1, exit: 5 } }
  assert.deepEqual(lines.at(-1), ['WARN', 'records lost before the exit', numbers])
})
