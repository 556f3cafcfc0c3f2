import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedCalls, filterOf, readSearch } from './transaction-search.ts'

test('the link to failed calls asks the server for errors of callers and of LLM APIs', () => {
  assert.deepEqual(filterOf(readSearch(failedCalls('/chat/'))), { router: '/chat/', status: '4xx,5xx' })
  assert.deepEqual(filterOf(readSearch(failedCalls(undefined))), { status: '4xx,5xx' })
})
