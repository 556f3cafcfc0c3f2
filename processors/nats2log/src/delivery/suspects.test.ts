import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SinkRecord } from '../targets/writer.ts'
import { BackOff } from './back-off.ts'
import { Suspects } from './suspects.ts'

// Rules: docs/reference/kept-records.md#records-that-fail-alone

const MINUTE_MS = 60_000
const RECORD = { bytes: new Uint8Array(), sequence: 1, storedMs: 1 }

test('a record is given up after five failures in ten minutes, each after another delivery', () => {
  const { suspects, fail } = openSuspects()
  for (let n = 0; n < 30; n++) fail(MINUTE_MS)
  // No other record has arrived.
  assert.equal(suspects.isGivenUp(RECORD), false)
  const givenUp: boolean[] = []
  for (let n = 0; n < 12; n++) {
    suspects.addDelivered(1)
    fail(MINUTE_MS)
    givenUp.push(suspects.isGivenUp(RECORD))
  }
  assert.equal(givenUp.indexOf(true), 10)
  const { suspects: others, fail: failSlowly } = openSuspects()
  for (let n = 1; n <= 5; n++) {
    assert.equal(others.isGivenUp(RECORD), false)
    others.addDelivered(1)
    failSlowly(5 * MINUTE_MS)
  }
  assert.equal(others.isGivenUp(RECORD), true)
})

test('pauses grow to a minute, and to nine times the time of a slow try, at most ten minutes', () => {
  const { suspects, fail } = openSuspects()
  const failOnce = (triedMs = 0): number => {
    suspects.addDelivered(1)
    return fail(0, triedMs)
  }
  const pauses = Array.from({ length: 10 }, () => failOnce())
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  assert.deepEqual([failOnce(30_000), failOnce(300_000)], [270_000, 600_000])
})

test('while nothing is delivered, the pause after each failure is a second longer', () => {
  const { fail } = openSuspects()
  const others = Array.from({ length: 5 }, (_, sequence) => fail(0, 0, { ...RECORD, sequence }))
  assert.deepEqual(others, [250, 1_000, 2_000, 3_000, 4_000])
})

test('the bus’s new delivery of a record is the same record, and a record in its place is another one', () => {
  const { suspects, fail } = openSuspects()
  fail(0)
  assert.deepEqual([suspects.has({ ...RECORD }), suspects.has({ ...RECORD, storedMs: 2 })], [true, false])
  suspects.settled({ ...RECORD })
  assert.equal(suspects.has(RECORD), false)
})

test('once the bus can deliver nothing but failed records, one is given up every ten minutes, so that another comes', () => {
  const { suspects, fail } = openSuspects()
  const records = Array.from({ length: 19_000 }, (_, sequence) => ({ ...RECORD, sequence }))
  const [first] = records
  for (const record of records) fail(0, 0, record)
  const crowd = () => suspects.crowd(records.slice(0, 10)).map(({ record }) => record)
  assert.deepEqual([crowd(), crowd()], [[first], []])
  fail(10 * MINUTE_MS)
  assert.equal(crowd().length, 1)
  // Without the one there is room for another.
  if (first !== undefined) suspects.settled(first)
  fail(10 * MINUTE_MS, 0, { ...RECORD, sequence: 2 })
  assert.deepEqual(crowd(), [])
})

test('records that the bus does not keep are not given up for their number, and make no others be given up', () => {
  const { suspects, fail } = openSuspects()
  const unkept = Array.from({ length: 10_000 }, () => ({ bytes: new Uint8Array() }))
  const kept = Array.from({ length: 9_000 }, (_, sequence) => ({ ...RECORD, sequence }))
  for (const record of [...kept, ...kept, ...unkept, ...unkept, ...kept]) {
    suspects.addDelivered(1)
    fail(0, 0, record)
  }
  assert.deepEqual(suspects.crowd([...unkept.slice(0, 10), ...kept.slice(0, 10)]), [])
  for (let sequence = 9_000; sequence < 10_200; sequence += 1) {
    suspects.addDelivered(1)
    fail(0, 0, { ...RECORD, sequence })
  }
  const givenUp = suspects.crowd([...unkept.slice(-10), ...kept.slice(-10)]).map(({ record }) => record)
  assert.deepEqual(givenUp, kept.slice(-10))
})

test('a suspect that is not delivered again for an hour is forgotten, since a replica of the sink may have it', () => {
  const { suspects, fail } = openSuspects()
  const others = [2, 3].map((sequence) => ({ ...RECORD, sequence }))
  for (const record of [RECORD, ...others]) fail(0, 0, record)
  fail(30 * MINUTE_MS, 0, others[0])
  fail(30 * MINUTE_MS, 0, others[0])
  assert.deepEqual(
    [RECORD, ...others].map((record) => suspects.has(record)),
    [false, true, false],
  )
})

/** `fail` notes a failure after a while; the try took `triedMs`. */
function openSuspects() {
  let nowMs = 0
  const backOff = new BackOff(
    () => nowMs,
    () => 1,
  )
  const suspects = new Suspects({ backOff, now: () => nowMs })
  const fail = (afterMs: number, triedMs = 0, record: SinkRecord = RECORD): number => {
    nowMs += afterMs
    return suspects.failed(record, { since: 0, startedMs: nowMs - triedMs, askedMs: 0, code: 'HTTP_503' })
  }
  return { suspects, fail }
}
