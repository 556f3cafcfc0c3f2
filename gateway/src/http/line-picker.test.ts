import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinePicker } from './line-picker.ts'

test('members at both ends of a line are picked at once, and the others in their order', () => {
  const picker = new LinePicker<number>()
  const line = [0, 1, 2, 3, 4, 5, 6]
  const picks = Array.from({ length: 20 }, () => picker.pick(line, 2).join())
  assert.deepEqual(
    picks,
    ['0,1', '2,3', '4,5', '6', '0,1'].flatMap((within) => ['6,5', '0,1', '6,5', within]),
  )
})

test('a line that became shorter is picked from its start again', () => {
  const picker = new LinePicker<number>()
  for (let picks = 0; picks < 4; picks += 1) picker.pick([0, 1, 2, 3, 4], 2)
  for (let picks = 0; picks < 4; picks += 1) assert.deepEqual(picker.pick([7], 2), [7])
})
