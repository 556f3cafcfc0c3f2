import assert from 'node:assert/strict'
import { test } from 'node:test'
import { booleanSetting, noSettings, numberSetting } from './value-settings.ts'

const NUMBERS: readonly (readonly [unknown, number | undefined])[] = [
  [0.2, 0.2],
  ['0.2', 0.2],
  [' 10 ', 10],
  ['-1.5e3', -1500],
  ['.5', 0.5],
  ['', undefined],
  ['ten', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['1e999', undefined],
  [Number.NaN, undefined],
  [true, undefined],
  [null, undefined],
]
for (const [written, value] of NUMBERS) {
  test(`${JSON.stringify(written)} as a number setting is ${value ?? 'refused'}`, () => {
    assert.equal(numberSetting().safeParse(written).data, value)
  })
}

test('a number setting has bounds, also for texts, and a default', () => {
  const rate = numberSetting({ min: 0, max: 1 }).default(0.5)
  assert.equal(rate.parse('1'), 1)
  assert.equal(rate.parse(undefined), 0.5)
  assert.equal(rate.safeParse('1.1').success, false)
  assert.equal(rate.safeParse(-1).success, false)
})

const BOOLEANS: readonly (readonly [unknown, boolean | undefined])[] = [
  [true, true],
  [false, false],
  ...['false', '0', 'no', 'off', 'False', 'OFF', ' no '].map((text) => [text, false] as const),
  ...['true', '1', 'yes', 'on', 'TRUE', 'anything'].map((text) => [text, true] as const),
  ['', undefined],
  [0, undefined],
  [null, undefined],
]
for (const [written, value] of BOOLEANS) {
  test(`${JSON.stringify(written)} as a boolean setting is ${value ?? 'refused'}`, () => {
    assert.equal(booleanSetting().safeParse(written).data, value)
  })
}

test('a boolean setting has a default', () => {
  assert.equal(booleanSetting().default(true).parse(undefined), true)
  assert.deepEqual(noSettings.parse({}), {})
})
