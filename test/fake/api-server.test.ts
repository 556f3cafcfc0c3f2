import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApiServer, whyNoApiServer } from './api-server.ts'

test('a test gets an API server of its own', { skip: whyNoApiServer(process.env) }, async () => {
  await using server = await startApiServer()
  const made = await server.kubectl(['apply', '-f', '-'], JSON.stringify(namespace('one')))
  assert.equal(made.stdout, 'namespace/one created\n', made.stderr)
})

test('in CI missing programs are no reason to skip a test', () => {
  assert.equal(whyNoApiServer({ CI: 'true' }), false)
})

function namespace(name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}
