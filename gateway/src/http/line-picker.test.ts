import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgeLine } from './age-line.ts'
import { LinePicker } from './line-picker.ts'

function lineOf(members: readonly string[]): AgeLine<string> {
  const line = new AgeLine<string>()
  for (const member of members) line.add(Number(member), member)
  return line
}

test('members at both ends of a line are picked at once, and the others in their order', () => {
  const picker = new LinePicker<string>()
  const line = lineOf(['0', '1', '2', '3', '4', '5', '6'])
  const picks = Array.from({ length: 20 }, () => picker.pick(line, 2).join())
  assert.deepEqual(
    picks,
    ['0,1', '2,3', '4,5', '6', '0,1'].flatMap((within) => ['6,5', '0,1', '6,5', within]),
  )
})

test('a line that became shorter is picked from its start again', () => {
  const picker = new LinePicker<string>()
  const line = lineOf(['0', '1', '2', '3', '4'])
  for (let picks = 0; picks < 4; picks += 1) picker.pick(line, 2)
  for (const age of [2, 3, 4]) line.delete(age)
  line.delete(0)
  for (let picks = 0; picks < 4; picks += 1) assert.deepEqual(picker.pick(line, 2), ['1'])
})
