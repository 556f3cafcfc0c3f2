import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenRecords } from './seen-records.ts'

// Rules: docs/reference/kept-records.md#sinks

test('the last 10,000 sequences of each process are remembered in any order', () => {
  const seen = new SeenRecords()
  for (const sequence of [20_000, 10_001, 10_000, 15_000]) seen.add(`GATEWAY1-1-${sequence}`)
  const known = [20_000, 10_001, 15_000, 10_000, 15_001, 20_001].map((sequence) => seen.has(`GATEWAY1-1-${sequence}`))
  assert.deepEqual(known, [true, true, true, false, false, false])
  assert.equal(seen.has('GATEWAY1-2-20000'), false)
})

test('a newer sequence moves the window: older sequences are forgotten, skipped sequences are not marked as seen', () => {
  const seen = new SeenRecords()
  for (let sequence = 0; sequence < 10_000; sequence++) seen.add(`G-1-${sequence}`)
  seen.add('G-1-10010')
  const known = [10, 11, 9_999, 10_000, 10_009, 10_010].map((sequence) => seen.has(`G-1-${sequence}`))
  assert.deepEqual(known, [false, true, true, false, false, true])
  seen.add('G-1-99999')
  assert.deepEqual([seen.has('G-1-10010'), seen.has('G-1-99999')], [false, true])
})

test('the stored form is restored, and malformed stored forms are ignored', () => {
  const seen = new SeenRecords()
  for (const sequence of [3, 5, 9_000]) seen.add(`G-7-${sequence}`)
  const again = new SeenRecords()
  again.restore(JSON.parse(JSON.stringify(seen.text())))
  for (const broken of [null, 'text', { a: 1 }, { a: { last: 'x', bits: 3 } }, { a: { last: 1, bits: 'AA==' } }]) {
    again.restore(broken)
  }
  assert.deepEqual(
    [3, 4, 5, 9_000].map((sequence) => again.has(`G-7-${sequence}`)),
    [true, false, true, true],
  )
  assert.equal(again.has('a-1'), false)
})

test('ids of another form are remembered too, and the number of processes has a bound', () => {
  const seen = new SeenRecords()
  seen.add('no number')
  assert.equal(seen.has('no number'), true)
  for (let process = 0; process < 2_000; process++) seen.add(`G-${process}-1`)
  assert.deepEqual([seen.has('G-1-1'), seen.has('G-1999-1')], [false, true])
  assert.equal(Object.keys(seen.text()).length, 1_024)
})
