import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { failed, route } from './answer.ts'
import { BARE_SECRET, bareServer } from './fixture/bare-server.ts'

test('the request of a caller that closes its connection is told so while it waits', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  const answer = Promise.withResolvers<void>()
  const record = route(endpoints.record, async ({ left }) => {
    asked.resolve(left)
    await answer.promise
    return failed('NOT_FOUND', 'none')
  })
  const server = await bareServer({ routes: [record] })
  const port = await server.listen(0)
  const headers = { authorization: `Bearer ${BARE_SECRET}` }
  const sent = request({ host: '127.0.0.1', port, path: '/api/v1/transactions/s1', headers })
  sent.on('error', () => undefined).end()
  const left = await asked.promise
  assert.equal(left.aborted, false)
  sent.destroy()
  if (!left.aborted) await once(left, 'abort')
  answer.resolve()
  await server.close()
})
