import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
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

type Change = { readonly from: ConnectionSettings; readonly to: ConnectionSettings; readonly isRefused: boolean }
const changes: readonly (readonly [what: string, change: Change])[] = [
  [
    'a new certificate keeps the old connections',
    { from: { denied: ['::1'], certificates: [] }, to: { denied: ['::1'], certificates: ['new'] }, isRefused: false },
  ],
  [
    'a removed range of addresses keeps the old connections',
    { from: { denied: ['::1', '::2'], certificates: [] }, to: { denied: ['::2'], certificates: [] }, isRefused: false },
  ],
  [
    'a further range of addresses refuses calls',
    { from: { denied: ['::1'], certificates: [] }, to: { denied: ['::1', '::2'], certificates: [] }, isRefused: true },
  ],
]

for (const [what, { from, to, isRefused }] of changes) {
  test(`while no upstream can be built, ${what}, until a later try succeeds`, async () => {
    let inputs = from
    let fails = false
    let nowMs = 0
    const events: string[] = []
    const build = (built: ConnectionSettings): Upstream => {
      if (fails) throw new Error('no descriptor')
      const name = isDeepStrictEqual(built, from) ? 'old' : 'new'
      return {
        send: async () => ({ kind: 'failed', code: name === 'old' ? 'UPSTREAM_RESET' : 'UPSTREAM_TLS' }),
        close: async () => void events.push(`close ${name}`),
      }
    }
    const onFailed = (error: unknown): void => void events.push(String(error))
    const upstream = createLiveUpstream({ readSettings: () => inputs, build, onFailed, nowMs: () => nowMs })
    const send = async (): Promise<void> => {
      const answer = await upstream.send(request, STAYS)
      events.push(answer.kind === 'failed' ? answer.code : answer.kind)
    }
    inputs = to
    fails = true
    await send()
    fails = false
    await send()
    const meanwhile = isRefused ? 'UPSTREAM_DENIED' : 'UPSTREAM_RESET'
    assert.deepEqual(events.splice(0), ['Error: no descriptor', meanwhile, meanwhile])
    nowMs = 1_000
    await send()
    await upstream.close()
    assert.deepEqual(events, ['close old', 'UPSTREAM_TLS', 'close new'])
  })
}
