import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { OutcomeCounts } from './outcome-counts.ts'

test('a target that sends another code for each record fills neither the memory nor the log', () => {
  const { logger, lines } = journalLogger()
  const counts = new OutcomeCounts(logger)
  for (let n = 0; n < 10_000; n++) {
    counts.refused(1, `SQL_${n}`)
    counts.failed(1, `SQL_${n}`)
    counts.waiting(1, `SQL_${n}`)
  }
  assert.ok(lines.entries.length <= 300, String(lines.entries.length))
  counts.report()
  const totals = new Map<string, unknown>(Object.entries(lines.entries.at(-1)?.fields ?? {}))
  for (const sums of ['refused', 'failed'].map((name) => totals.get(name))) {
    assert.ok(typeof sums === 'object' && sums !== null)
    const entries = Object.entries(sums)
    assert.deepEqual([entries.length, entries.at(-1)], [101, ['OTHER', 9_900]])
  }
  assert.equal(counts.totals.refused, 10_000)
})

test('many codes of waiting records hide neither refused records nor lost ones', () => {
  const { logger, lines } = journalLogger()
  const counts = new OutcomeCounts(logger)
  for (let n = 0; n < 1_000; n++) counts.waiting(1, `SQL_${n}`)
  counts.refused(1, 'SQL_0')
  counts.failed(1, 'SQL_0')
  const messages = lines.entries.slice(-2).map(({ message }) => message)
  assert.deepEqual(messages, ['records refused', 'records not delivered'])
})
