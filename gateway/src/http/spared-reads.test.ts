// Connections that the read limiter lets be read once, whatever else a turn reads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { countManyPieces, limiterOf, REPORTS_OF_EVENTS, Reader, resumed } from './limiter-under-test.ts'
import { MANY_PIECES } from './read-limiter.ts'

for (const [kind, spared] of [
  ['proven', 4],
  ['new', 2],
] as const) {
  test(`of the ${kind} connections that resume together the first ${spared} are read once, whatever others send`, async () => {
    const order: string[] = []
    const readers = Array.from({ length: 40 }, (_, index) => new Reader(String(index), kind, order))
    const limiter = limiterOf(readers)
    limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
    while (order.length === 0) await nextTurn()
    const first = order.slice(0, spared).sort()
    const read = (): readonly Reader[] => readers.filter(({ isPaused }) => !isPaused)
    limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
    assert.deepEqual(
      read()
        .map(({ name }) => name)
        .sort(),
      first,
    )
    for (const reader of read()) limiter.noteRead(reader)
    assert.deepEqual(read(), [])
    // The next turn spares others.
    order.length = 0
    while (order.length === 0) await nextTurn()
    limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
    assert.equal(read().length, spared)
  })
}

test('new connections that resumed stay spared where work at the end of the turn ends its reading', async () => {
  const order: string[] = []
  const readers = Array.from({ length: 40 }, (_, index) => new Reader(String(index), 'new', order))
  const limiter = limiterOf(readers)
  limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
  while (order.length === 0) await nextTurn()
  limiter.endReading()
  limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
  assert.equal(readers.filter(({ isPaused }) => !isPaused).length, 2)
})

test('a connection that resumed behind two turns of many pieces is read further after its first read', async () => {
  const order: string[] = []
  const reader = new Reader('new', 'new', order)
  const limiter = limiterOf([reader])
  for (let turns = 0; turns < 2; turns += 1) {
    countManyPieces(limiter)
    await nextTurn()
  }
  await resumed(order, 1)
  limiter.noteRead(reader)
  assert.equal(reader.isPaused, false)
})
