import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordSearch } from './record-search.ts'

const recordOf = (serial: number) => ({
  sequence: serial,
  messageId: `GATEWAY1-1-${serial}`,
  text: `{"request":{"ingress_payload":{"user":"soak1-${String(serial).padStart(9, '0')}"}}}`,
})

test('the records that only the stream has are counted, also in a stream that dropped older records', () => {
  const missing = [4, 6, 9].map((serial) => ({ serial, idBefore: '' }))
  const search = new RecordSearch('soak1', { came: 6, twice: 0, total: 6, lostConnection: false, missing })
  for (const serial of [5, 6, 7, 8, 9, 10]) search.look(recordOf(serial))
  assert.equal(search.unread, 3)
})
