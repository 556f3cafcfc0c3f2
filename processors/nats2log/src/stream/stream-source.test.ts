import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StreamSource } from './stream-source.ts'

test('a bus that refuses each request for records is not asked in each turn', async () => {
  let asked = 0
  const pull = () => {
    asked += 1
    return { ended: nextTurn('full' as const), close: () => undefined }
  }
  const limits = { records: 500, bytes: 1024 * 1024, ms: 100 }
  const source = new StreamSource({ streams: { pull }, stream: 's', created: '', consumer: 'c', limits })
  const taken = source.take()
  for (let turn = 0; turn < 1_000; turn++) await nextTurn()
  source.close()
  assert.equal(await taken, undefined)
  assert.ok(asked < 100, String(asked))
})
