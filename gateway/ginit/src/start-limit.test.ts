import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStartLimit } from './service.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs

const cases: ReadonlyArray<{
  readonly maxStarts: number
  readonly atSeconds: readonly number[]
  readonly admitted: readonly boolean[]
}> = [
  { maxStarts: 2, atSeconds: [0, 1, 2], admitted: [true, true, false] },
  { maxStarts: 2, atSeconds: [0, 30, 59.9], admitted: [true, true, false] },
  { maxStarts: 2, atSeconds: [0, 30, 60], admitted: [true, true, true] },
  { maxStarts: 1, atSeconds: [0, 59], admitted: [true, false] },
  { maxStarts: 3, atSeconds: [0, 61, 122, 123, 124], admitted: [true, true, true, true, true] },
]

for (const { maxStarts, atSeconds, admitted } of cases) {
  test(`with max_starts ${maxStarts}, starts at ${atSeconds.join(', ')} s are ${admitted.join(', ')}`, () => {
    let seconds = 0
    const limit = createStartLimit(maxStarts, () => seconds * 1000)
    const found = atSeconds.map((at) => {
      seconds = at
      return limit.admit()
    })
    assert.deepEqual(found, admitted)
  })
}

test('the pause before a start grows with the starts of the last minute up to a limit, and shrinks again', () => {
  let nowMs = 0
  const limit = createStartLimit(100, () => nowMs)
  const delays = Array.from({ length: 8 }, () => {
    limit.admit()
    return limit.delayMs()
  })
  assert.deepEqual(delays, [250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
  nowMs = 60_000
  limit.admit()
  assert.equal(limit.delayMs(), 250)
})
