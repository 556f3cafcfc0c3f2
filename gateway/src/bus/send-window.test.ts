import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { recordText } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import { QueuedRecord } from './record-fifo.ts'
import { RecordPages } from './record-pages.ts'
import { RecordQueue } from './record-queue.ts'
import { SendWindow } from './send-window.ts'

const RECORDS = 200
/** The most records that a turn loses. */
const MOST = 64

/** A window over a queue of records that are all too large for the bus. */
function windowOfLosses(onLost: () => void): SendWindow {
  const heads = createMessageHeads('llm.gl.logger', undefined)
  const pages = new RecordPages()
  const queue = new RecordQueue()
  for (let serial = 0; serial < RECORDS; serial += 1) {
    const message = pages.encode(heads(`id-${serial}`, String(serial)), recordText(Buffer.from('{}')))
    queue.add(new QueuedRecord(message, { router: '/a/', memory: undefined, createdMs: 0 }))
  }
  const connection = { publish: () => true }
  return new SendWindow({ connection, queue, fit: () => undefined, onLost, bytesBeside: () => 0 })
}

test('a turn loses a few records that are too large, however often the window is sent in it', async () => {
  let lost = 0
  const window = windowOfLosses(() => {
    lost += 1
  })
  for (let before = 0; before < RECORDS; before = lost) {
    assert.equal(window.send(RECORDS), 0)
    for (let call = 0; call < 3; call += 1) window.send(RECORDS)
    assert.equal(lost - before, Math.min(MOST, RECORDS - before))
    await nextTurn()
  }
  assert.equal(window.send(RECORDS), undefined)
})

test('a window is sent again after a fault during a loss', async () => {
  let losses = 0
  const window = windowOfLosses(() => {
    losses += 1
    if (losses === 1) throw new Error('a fault')
  })
  assert.throws(() => window.send(RECORDS), /a fault/)
  await nextTurn()
  window.send(RECORDS)
  assert.equal(losses, 1 + MOST)
})
