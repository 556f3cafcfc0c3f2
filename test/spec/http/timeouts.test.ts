import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#timeouts

/** Far above the delay that a busy machine adds to an answer in time. */
const HEADERS_MS = 3_000
const SILENCE_MS = 3_000
let scene: Scene
/** Has the default time for a connection: a DNS server may answer only to the second packet. */
let patient: Scene
/** A server that accepts connections and neither reads nor writes, so that a TLS handshake never ends. */
const silentServer = createServer({ pauseOnConnect: true })

before(async () => {
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
  const limits = {
    outbound_connect_timeout_ms: 2_000,
    outbound_headers_timeout_ms: HEADERS_MS,
    outbound_timeout_ms: SILENCE_MS,
  }
  const address = silentServer.address()
  const port = typeof address === 'object' ? address?.port : 0
  scene = await startScene({
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/mute/', outbound: { url: `https://127.0.0.1:${port}` } },
      { path: '/refused/', outbound: { url: 'http://127.0.0.1:1' } },
    ],
    config: { limits },
  })
  patient = await startScene({
    routers: () => [{ path: '/nowhere/', outbound: { url: 'http://no-such-name.invalid' } }],
  })
})
after(async () => {
  silentServer.close()
  await scene.close()
  await patient.close()
})
beforeEach(() => scene.llm.requests.clear())

type Outcome = readonly [path: string, status: number, code: string, type: string]
const outcomes: readonly Outcome[] = [
  ['/mute/', 504, 'UPSTREAM_TIMEOUT', 'provider_timeout'],
  ['/nowhere/', 503, 'UPSTREAM_NOT_FOUND', 'provider_connect'],
  ['/refused/', 502, 'UPSTREAM_REFUSED', 'provider_connect'],
]

for (const [path, status, code, type] of outcomes) {
  test(`connecting to ${path}: ${status} ${code}, ${type}`, async () => {
    const { gateway, recordOf } = path === '/nowhere/' ? patient : scene
    const answer = await fetch(`${gateway.url}${path}x`)
    assert.deepEqual([answer.status, answer.headers.get('gateway-error')], [status, code])
    const record = await recordOf(answer)
    assert.equal(record.record.error_type, type)
    assert.deepEqual(record.field('response.error'), [
      { name: 'outbound', details: code },
      { name: 'egress_status_code', details: String(status) },
    ])
    assert.equal(record.field('response.inbound_status_code'), undefined)
  })
}

test('an answer after a long silence passes; after outbound_headers_timeout_ms the caller gets 504', async () => {
  const { llm } = scene
  llm.respond(async () => {
    // Like a reasoning call: no byte until the answer is ready.
    await setTimeout(HEADERS_MS / 4)
    return { kind: 'answer', body: '{"done":true}' }
  })
  assert.deepEqual(await (await fetch(`${scene.url}/x`)).json(), { done: true })
  llm.respond(() => ({ kind: 'hang' }))
  const late = await fetch(`${scene.url}/x`)
  assert.deepEqual([late.status, late.headers.get('gateway-error')], [504, 'UPSTREAM_TIMEOUT'])
  await llm.requests.waitFor(({ aborted }) => aborted)
  assert.equal((await scene.recordOf(late)).record.error_type, 'provider_timeout')
})

test('a stream has no total limit; only a silence of outbound_timeout_ms ends it', async () => {
  const { llm } = scene
  const pauses = Array.from({ length: 8 }, () => setTimeout.bind(undefined, SILENCE_MS / 6))
  const stream = (last: () => Promise<unknown>) => ({
    kind: 'answer' as const,
    headers: [['Content-Type', 'text/event-stream'] as const],
    body: (async function* () {
      for (const pause of [...pauses, last]) {
        yield 'data: 1\n\n'
        await pause()
      }
      yield 'data: end\n\n'
    })(),
  })
  llm.respond(() => stream(async () => undefined))
  const whole = await fetch(`${scene.url}/x`)
  assert.match(await whole.text(), /data: end\n\n$/)
  const timer = (await scene.recordOf(whole)).record.ingress_egress_timer
  assert.ok((timer?.duration ?? 0) > Math.max(SILENCE_MS, HEADERS_MS), `${timer?.duration} ms`)
  llm.respond(() => stream(() => new Promise(() => undefined)))
  const silent = await fetch(`${scene.url}/x`)
  await assert.rejects(silent.text())
  const record = await scene.recordOf(silent)
  assert.equal(record.record.error_type, 'provider_stream')
  assert.deepEqual(record.field('response.error'), [{ name: 'outbound', details: 'UPSTREAM_TIMEOUT' }])
  assert.match(String(record.field('response.egress_payload')), /^(data: 1\n\n){9}$/)
})

test('a reload changes time limits without a restart', async () => {
  const { gateway, llm } = scene
  await gateway.editConfig({ limits: { outbound_headers_timeout_ms: 60_000 } })
  await gateway.logs.waitFor(({ msg }) => msg === 'configuration reloaded')
  llm.respond(async () => {
    await setTimeout(HEADERS_MS + 500)
    return { kind: 'answer', body: '{}' }
  })
  assert.equal((await fetch(`${scene.url}/x`)).status, 200)
})

test('the longest timeouts work, without a warning of the runtime', async () => {
  const names = [
    'request_headers',
    'request_idle',
    'request_body',
    'keep_alive',
    'outbound_connect',
    'outbound_headers',
  ]
  const limits = Object.fromEntries([...names, 'outbound'].map((name) => [`${name}_timeout_ms`, 2 ** 31 - 1]))
  const warnings: string[] = []
  const note = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', note)
  {
    const config = { limits: { ...limits, drain_ms: 2 ** 31 - 1 } }
    await using long = await startScene({ routers: (url) => [{ path: '/llm/', outbound: { url } }], config })
    long.llm.respond(() => ({ kind: 'answer', body: '{}' }))
    for (const path of ['/echo/', '/llm/']) {
      const answer = await fetch(`${long.gateway.url}${path}`, { method: 'POST', body: '{}' })
      assert.equal(answer.status, 200)
      await answer.text()
    }
  }
  process.off('warning', note)
  assert.deepEqual(warnings, [])
})
