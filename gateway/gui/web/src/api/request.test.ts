import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure, request } from './request.ts'
import { startServer } from './server-under-test.ts'

test('an answer that breaks off is a failed request without an answer', async (t) => {
  await startServer(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"version":', () => response.destroy())
  })
  await assert.rejects(request('overview'), (error) => error instanceof RequestFailure && error.code === 'NO_ANSWER')
})
