import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { parseMap } from './reply-value.ts'

// Rules: docs/reference/bus.md#failures, docs/reference/http.md#memory

test('the headers of a written map count in the memory of the call, and a map without room is not taken', () => {
  const memory = new MemoryAccount(1_000_000).open('/llm/', new MemoryShare())
  const json = Buffer.from('{"A":["1"]}')
  assert.deepEqual(parseMap({ kind: 'json', json, values: 3 }, memory), { A: ['1'] })
  assert.ok(memory.bytes >= 3 * 100, `${memory.bytes} bytes`)
  assert.equal(parseMap({ kind: 'json', json, values: 9_999 }, memory), undefined)
})

test('a map of more than 256 KiB or 10,000 values is not taken and not counted', () => {
  const memory = new MemoryAccount(1_000_000_000).open('/llm/', new MemoryShare())
  const large = Buffer.from(`{"A":"${'x'.repeat(262_144)}"}`)
  assert.equal(parseMap({ kind: 'json', json: large, values: 2 }, memory), undefined)
  assert.equal(parseMap({ kind: 'json', json: Buffer.from('{}'), values: 10_001 }, memory), undefined)
  assert.equal(memory.bytes, 0)
})
