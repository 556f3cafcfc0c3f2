import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busHint } from './record-line.ts'

test('a refused token comes with the variable to set, another failure with nothing', () => {
  assert.match(busHint({ code: 'AUTHORIZATION_VIOLATION' }) ?? '', /NATS_TOKEN/)
  for (const fields of [{ code: 'CONNECTION_REFUSED' }, {}]) assert.equal(busHint(fields), undefined)
})
