import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecent, type OvertakenNote, readOvertaken, withGap } from './overtaken.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const NOW_MS = Date.parse('2026-11-21T02:00:00Z')
const GAP = { sink: 'nats2file', created: 'a', from: 51, to: 250, count: 200 }
const NOTE: OvertakenNote = {
  records: 200,
  since: '2026-11-21T02:00:00.000Z',
  last: '2026-11-21T02:00:00.000Z',
  created: 'a',
  to: 250,
}
const first = withGap(new Map(), GAP, NOW_MS)

test('the first gap of a sink is noted as it is', () => {
  assert.deepEqual([...first], [['nats2file', NOTE]])
})

test('a gap found twice counts once, and its new part is added', () => {
  assert.deepEqual(withGap(first, GAP, NOW_MS + DAY_MS / 2), first)
  const longer = withGap(first, { ...GAP, to: 260, count: 210 }, NOW_MS + 1_000)
  assert.equal(longer.get('nats2file')?.records, 210)
  const ofAnotherStream = withGap(first, { ...GAP, created: 'b' }, NOW_MS + 1_000)
  assert.equal(ofAnotherStream.get('nats2file')?.records, 400)
})

test('gaps less than a day apart are summed since the first; a later gap starts a new sum', () => {
  const next = { ...GAP, from: 351, to: 360, count: 10 }
  const soon = withGap(first, next, NOW_MS + DAY_MS - 1).get('nats2file')
  assert.deepEqual([soon?.records, soon?.since, soon?.last], [210, NOTE.since, '2026-11-22T01:59:59.999Z'])
  const late = withGap(first, next, NOW_MS + DAY_MS).get('nats2file')
  assert.deepEqual([late?.records, late?.since], [10, '2026-11-22T02:00:00.000Z'])
})

test('other sinks keep their notes for a day, sixteen in all', () => {
  const other = { ...GAP, sink: 'nats2s3' }
  assert.deepEqual([...withGap(first, other, NOW_MS + 1).keys()], ['nats2file', 'nats2s3'])
  assert.deepEqual([...withGap(first, other, NOW_MS + DAY_MS).keys()], ['nats2s3'])
  let many = first
  for (let n = 0; n < 20; n++) many = withGap(many, { ...GAP, sink: `sink${n}` }, NOW_MS)
  assert.equal(many.size, 16)
  assert.ok(many.has('sink19'))
})

test('a written note is read back, and a note from the future counts for a day', () => {
  assert.deepEqual(readOvertaken(Buffer.from(JSON.stringify(Object.fromEntries(first)))), first)
  assert.deepEqual(
    [-DAY_MS, 1 - DAY_MS, 0, DAY_MS - 1, DAY_MS].map((ms) => isRecent(NOTE, NOW_MS + ms)),
    [false, true, true, true, false],
  )
})

const ODD: readonly unknown[] = [
  null,
  [],
  'text',
  { nats2file: null },
  { nats2file: [] },
  { nats2file: { ...NOTE, records: -1 } },
  { nats2file: { ...NOTE, records: 1e300 } },
  { nats2file: { ...NOTE, since: 'today' } },
  { nats2file: { ...NOTE, last: '2026-99-99T00:00:00Z' } },
  { nats2file: { ...NOTE, to: '250' } },
  { 'a b\n': NOTE },
  { [`a${'b'.repeat(32)}`]: NOTE },
  { nats2file: { ...NOTE, created: 'x'.repeat(70_000) } },
]
test('foreign bytes under the key are not read as a note', () => {
  for (const value of ODD) {
    assert.equal(readOvertaken(Buffer.from(JSON.stringify(value))).size, 0, JSON.stringify(value).slice(0, 80))
  }
  assert.equal(readOvertaken(Buffer.from('{"nats2file":')).size, 0)
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`sink${n}`, NOTE]))
  assert.equal(readOvertaken(Buffer.from(JSON.stringify(many))).size, 16)
})
