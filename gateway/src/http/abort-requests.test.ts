import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const REQUESTS = 200
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('requests behind a running call are aborted without stacks where their connection closes', async (t) => {
  const { server, connections, open } = await trackedServerUnderTest(t)
  const requests: IncomingMessage[] = []
  const errors: Error[] = []
  const begin = connections.oneByOne(() => undefined)
  server.on('request', (request, response) => {
    requests.push(request)
    request.on('error', (error) => errors.push(error))
    begin(request, response)
  })
  const limit = Error.stackTraceLimit
  open().write(REQUEST.repeat(REQUESTS))
  while (requests.length < REQUESTS) await nextTurn()
  requests[0]?.socket.destroy()
  while (errors.length < REQUESTS) await nextTurn()
  assert.deepEqual(new Set(errors.map(({ stack }) => stack)), new Set(['Error: aborted']))
  assert.equal(Error.stackTraceLimit, limit)
})
