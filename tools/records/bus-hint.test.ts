import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busHint } from './record-line.ts'

test('the message of a refused token names the variable to set; other failures have no hint', () => {
  assert.match(busHint({ code: 'AUTHORIZATION_VIOLATION' }) ?? '', /NATS_TOKEN/)
  for (const fields of [{ code: 'CONNECTION_REFUSED' }, {}]) assert.equal(busHint(fields), undefined)
})
