import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions, TARGETS } from './options.ts'

test('without flags every target runs three rounds', () => {
  const options = parseOptions([])
  assert.deepEqual([options.rounds, options.targets], [3, TARGETS.filter((name) => name !== 'gateway-other')])
  assert.deepEqual(parseOptions(['--other', '../before']).targets, TARGETS)
})

test('flags shorten the run, and names may come in any order', () => {
  const options = parseOptions([
    '--rounds',
    '1',
    '--seconds',
    '2',
    '--sizes',
    '1MB,10KB',
    '--targets',
    'gateway-on,floor',
  ])
  assert.deepEqual(
    [options.rounds, options.seconds, options.sizes, options.targets],
    [1, 2, ['10KB', '1MB'], ['floor', 'gateway-on']],
  )
})

test('the throughput phase is a closed loop without a rate', () => {
  assert.equal(parseOptions([]).rate, undefined)
  assert.equal(parseOptions(['--rate', '1500']).rate, 1_500)
})

for (const argv of [
  ['--sizes', '2KB'],
  ['--rounds', '0'],
  ['--rate', '0'],
  ['--seconds', 'x'],
  ['--targets', ''],
  ['--targets', 'gateway-other'],
  ['--unknown'],
]) {
  test(`${argv.join(' ')} is refused`, () => {
    assert.throws(() => parseOptions(argv))
  })
}
