import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { type ConnectionSettings, createLiveUpstream } from './live-upstream.ts'
import type { Upstream, UpstreamRequest } from './upstream.ts'

const request: UpstreamRequest = {
  origin: 'http://llm.example',
  path: '/',
  method: 'GET',
  headers: new Map(),
  body: undefined,
  memory: undefined,
  account: new MemoryAccount(1).open('/', new MemoryShare()),
  headersTimeoutMs: 1,
  silenceTimeoutMs: 1,
}
const signal = { cancelled: false, onCancel: () => undefined }

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
  await upstream.send(request, signal)
  inputs = { denied: [], certificates: [] }
  await upstream.send(request, signal)
  inputs = { denied: ['10.0.0.0/8'], certificates: [] }
  await upstream.send(request, signal)
  await upstream.close()
  assert.deepEqual(events, ['send ', 'send ', 'close ', 'send 10.0.0.0/8', 'close 10.0.0.0/8'])
})
