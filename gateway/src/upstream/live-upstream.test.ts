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
  const upstream = createLiveUpstream({ readSettings: () => inputs, build, onFailed: () => assert.fail() })
  await upstream.send(request, STAYS)
  inputs = { denied: [], certificates: [] }
  await upstream.send(request, STAYS)
  inputs = { denied: ['10.0.0.0/8'], certificates: [] }
  await upstream.send(request, STAYS)
  await upstream.close()
  assert.deepEqual(events, ['send ', 'send ', 'close ', 'send 10.0.0.0/8', 'close 10.0.0.0/8'])
})

test('where no upstream can be built for changed settings, the old one stays until a later try succeeds', async () => {
  let inputs: ConnectionSettings = { denied: [], certificates: [] }
  let fails = false
  let nowMs = 0
  const events: string[] = []
  const build = ({ denied }: ConnectionSettings): Upstream => {
    if (fails) throw new Error('no descriptor')
    return {
      send: async () => {
        events.push(`send ${denied}`)
        return { kind: 'failed', code: 'UPSTREAM_RESET' }
      },
      close: async () => void events.push(`close ${denied}`),
    }
  }
  const onFailed = (error: unknown): void => void events.push(String(error))
  const upstream = createLiveUpstream({ readSettings: () => inputs, build, onFailed, nowMs: () => nowMs })
  inputs = { denied: ['10.0.0.0/8'], certificates: [] }
  fails = true
  await upstream.send(request, STAYS)
  fails = false
  await upstream.send(request, STAYS)
  assert.deepEqual(events.splice(0), ['Error: no descriptor', 'send ', 'send '])
  nowMs = 1_000
  await upstream.send(request, STAYS)
  await upstream.close()
  assert.deepEqual(events, ['close ', 'send 10.0.0.0/8', 'close 10.0.0.0/8'])
})
