import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busHint } from './record-line.ts'

test('the messages of a refused token and of a refused connection name the variable to set; other failures have no hint', () => {
  assert.match(busHint({ code: 'AUTHORIZATION_VIOLATION' }) ?? '', /NATS_TOKEN/)
  assert.match(busHint({ code: 'CONNECTION_REFUSED' }) ?? '', /GATEWAY_HOST/)
  for (const fields of [{ code: 'TIMEOUT' }, {}]) assert.equal(busHint(fields), undefined)
})
