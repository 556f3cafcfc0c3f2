import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'

// Rules: docs/reference/http.md#drain, docs/reference/configuration-rules.md#reload

test('a stop uses the drain_ms of the latest configuration, not of the first', async () => {
  const answered = Promise.withResolvers<never>()
  await using llm = await startLlm({ respond: () => answered.promise })
  const routers = [{ path: '/slow/', outbound: { url: llm.url } }]
  await using gateway = await startGatewayProcess({ admin: true, config: { routers, limits: { drain_ms: 3_600_000 } } })
  const digest = await gateway.editConfig((config) => ({ ...config, limits: { drain_ms: 1 } }))
  await gateway.waitForDigest(digest)
  const restart = gateway.lines.entries.filter((line) => line.includes('need a restart'))
  assert.deepEqual(restart, [])
  const call = fetch(`${gateway.url}/slow/`, { method: 'POST', body: '{}' }).catch(() => undefined)
  await llm.requests.waitForCount(1)
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exited, { code: 0, signal: null })
  await call
})
