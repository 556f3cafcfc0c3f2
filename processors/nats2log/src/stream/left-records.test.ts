import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SinkRecord } from '../targets/writer.ts'
import { LeftRecords } from './left-records.ts'

// Rules: docs/reference/kept-records.md#records-that-fail-alone

const RECORD: SinkRecord = { bytes: Buffer.from('a'), id: 'G-1-1' }

test('a record left is tried again after its pause although the stream delivers nothing', async () => {
  const left = new LeftRecords(() => performance.now())
  left.add(RECORD, 0)
  const { source, deliver } = quietSource()
  const beside = left.beside(source)
  assert.deepEqual(await beside.take(), [RECORD])
  beside.postpone(RECORD, 20)
  assert.deepEqual(await beside.take(), [RECORD])
  // The records of the stream come once, whatever came before them.
  const next = beside.take()
  const others = [{ ...RECORD, id: 'G-1-2', sequence: 1 }]
  deliver(others)
  assert.deepEqual(await next, others)
})

test('records left count with their bytes until they are settled', () => {
  const left = new LeftRecords(() => 0)
  for (const record of [RECORD, { ...RECORD }]) left.add(record, 0)
  left.add(RECORD, 1_000)
  assert.deepEqual([left.records.length, left.bytes > 2_048], [2, true])
  for (const record of left.records) left.settle(record)
  assert.deepEqual([left.records.length, left.bytes, left.settle(RECORD)], [0, 0, false])
})

/** Returns a source that delivers nothing until `deliver`. */
function quietSource() {
  const { promise, resolve } = Promise.withResolvers<readonly SinkRecord[]>()
  const source = { take: () => promise, settle: () => assert.fail(), postpone: () => assert.fail() }
  return { source, deliver: resolve }
}
