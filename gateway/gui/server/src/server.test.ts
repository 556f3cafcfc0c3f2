import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { endpoints } from '@llm-gateway/gui-api'
import { ThreadError } from '@llm-gateway/sdk'
import { rawExchange } from '@llm-gateway/test/fake/raw-http'
import { route } from './answer.ts'
import { BARE_SECRET, bareServer } from './fixture/bare-server.ts'

test('a bug in a thread is answered with 500 and logged with its place in the thread', async () => {
  const logs: string[] = []
  const bug = new ThreadError({ code: 'THREAD_ANSWER', name: 'RangeError', at: 'manifest-text.ts:12' })
  const server = await bareServer({
    routes: [route(endpoints.overview, () => Promise.reject(bug))],
    logger: createLogger({ service: 'gui', write: (line) => logs.push(line) }),
  })
  try {
    const url = `http://127.0.0.1:${await server.listen(0)}${endpoints.overview.path}`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${BARE_SECRET}` } })
    assert.equal(answer.status, 500)
    assert.match(await answer.text(), /"code":"INTERNAL"/)
    const [line = ''] = logs
    const { level, name, at, msg } = JSON.parse(line)
    assert.deepEqual([level, name, at, msg], ['ERROR', 'RangeError', 'manifest-text.ts:12', 'request failed'])
  } finally {
    await server.close()
  }
})

test('a method that no route has is refused with 405, also one of RTSP', async () => {
  const server = await bareServer({ routes: [] })
  try {
    const port = await server.listen(0)
    for (const line of ['PROPFIND / HTTP/1.1', 'PLAY / RTSP/1.1']) {
      const { text } = await rawExchange(port, `${line}\r\nHost: 127.0.0.1\r\n\r\n`)
      assert.match(text, /^HTTP\/1\.1 405 /)
    }
  } finally {
    await server.close()
  }
})
