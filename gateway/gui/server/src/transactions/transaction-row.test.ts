import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heapBytes } from '../fixture/heap-bytes.ts'
import { isWantedRow, searchedText, transactionRow } from './transaction-row.ts'

const record = (router: string, other: string) =>
  Buffer.from(
    JSON.stringify({
      session_id: other,
      transaction_id: other,
      error_type: other,
      ingress_egress_timer: { start: `2026-11-28T10:00:00Z (${other})` },
      request: { ingress_method: other, outbound_payload: { model: other } },
      response: { gl_path: router, original_gl_path: router, processors: [{ name: other }] },
    }),
  )

test('a row has the beginning of the texts that callers choose', () => {
  const row = transactionRow('s1', record(`/${'r'.repeat(60_000)}/`, 'x'.repeat(60_000)))
  for (const [name, value] of Object.entries(row))
    assert.ok(JSON.stringify(value).length <= 1_100, `${name}: ${JSON.stringify(value).length}`)
  assert.equal(row.model, 'x'.repeat(200))
  assert.equal(row.method, 'x'.repeat(200))
})

test('a row has the whole path of a router, and is found by it', () => {
  const path = `/${'r'.repeat(998)}/`
  const bytes = record(path, 'x')
  const row = transactionRow('s1', bytes)
  assert.equal(row.router, path)
  assert.equal(isWantedRow({ router: path, session: 'x' }, row, searchedText(bytes)), true)
  assert.equal(isWantedRow({ router: path.slice(0, 999) }, row, searchedText(bytes)), false)
})

test('a row keeps none of the longer texts from which its beginnings come', () => {
  const before = heapBytes()
  const rows = Array.from({ length: 100 }, (_, index) =>
    transactionRow(`s${index}`, record(`/${'r'.repeat(60_000)}/`, 'x'.repeat(60_000))),
  )
  const held = heapBytes() - before
  assert.ok(held < 5 * 1024 * 1024, `${held} bytes`)
  assert.equal(rows.length, 100)
})
