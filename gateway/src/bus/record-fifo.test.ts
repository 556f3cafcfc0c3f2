import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordText } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import { QueuedRecord, RecordFifo } from './record-fifo.ts'
import { RecordPages } from './record-pages.ts'

/** A batch that goes to disk. */
const BATCH = 256
/** More records than the holes that a queue keeps. */
const RECORDS = 20_000

const heads = createMessageHeads('llm.gl.logger', undefined)
const pages = new RecordPages()

function queued(serial: number): QueuedRecord {
  const message = pages.encode(heads(`id-${serial}`, String(serial)), recordText(Buffer.from(`{"serial":${serial}}`)))
  return new QueuedRecord(message, { router: isStuck(serial) ? '/stuck/' : '/a/', memory: undefined, createdMs: 0 })
}

/** Some records stay while thousands behind them leave. */
const isStuck = (serial: number): boolean => serial % 1_999 === 0

const tokenOf = ({ message }: QueuedRecord): string => message.head.token

test('records behind some that stay leave in order, however they leave', () => {
  const fifo = new RecordFifo()
  const left: string[] = []
  for (let serial = 0; serial < RECORDS; serial += 1) fifo.add(queued(serial))
  let chosen = 0
  const choose = ({ router }: QueuedRecord): 'take' | 'keep' | 'stop' => {
    if (router === '/stuck/') return 'keep'
    chosen += 1
    return chosen > BATCH ? 'stop' : 'take'
  }
  for (let taken = fifo.takeSome(choose); taken.length > 0; taken = fifo.takeSome(choose)) {
    assert.equal(taken.length, Math.min(chosen, BATCH))
    left.push(...taken.map(tokenOf))
    chosen = 0
    // Now and then an answer of the bus comes.
    const answered = String(Number(left.at(-1)) + 1)
    const record = fifo.take(answered)
    if (record === undefined) continue
    left.push(tokenOf(record))
  }
  const tokens = Array.from({ length: RECORDS }, (_, serial) => serial)
  const stuck = tokens.filter(isStuck).map(String)
  assert.deepEqual(
    left.filter((token) => !stuck.includes(token)),
    tokens.filter((serial) => !isStuck(serial)).map(String),
  )
  const rest = stuck.filter((token) => !left.includes(token))
  assert.equal(fifo.sum.count, rest.length)
  assert.equal(fifo.first && tokenOf(fifo.first), rest[0])
  fifo.putFirst([queued(RECORDS)])
  assert.deepEqual(
    Array.from({ length: fifo.sum.count }, () => fifo.takeFirst()).map((record) => record && tokenOf(record)),
    [String(RECORDS), ...rest],
  )
  assert.deepEqual([fifo.sum.count, fifo.sum.bytes, fifo.first], [0, 0, undefined])
})
