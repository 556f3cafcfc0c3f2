import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectionSettings, createLiveUpstream } from './live-upstream.ts'
import type { Upstream } from './upstream.ts'
import { requestTo, STAYS } from './upstream-under-test.ts'

const request = requestTo('http://llm.example', 1)

test('changed settings open new connections, equal settings keep them, and close ends all connections', async () => {
  let inputs: ConnectionSettings = { denied: [], certificates: [] }
  const events: string[] = []
  const build = ({ denied }: ConnectionSettings): Upstream => ({
    send: async () => {
      events.push(`send ${denied}`)
      return { kind: 'failed', code: 'UPSTREAM_RESET' }
    },
    close: async () => {
      events.push(`close ${denied}`)
    },
  })
  const upstream = createLiveUpstream(() => inputs, build)
  await upstream.send(request, STAYS)
  inputs = { denied: [], certificates: [] }
  await upstream.send(request, STAYS)
  inputs = { denied: ['10.0.0.0/8'], certificates: [] }
  await upstream.send(request, STAYS)
  await upstream.close()
  assert.deepEqual(events, ['send ', 'send ', 'close ', 'send 10.0.0.0/8', 'close 10.0.0.0/8'])
})
