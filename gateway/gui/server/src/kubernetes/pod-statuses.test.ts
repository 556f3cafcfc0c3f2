import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayProcess } from '@llm-gateway/test/fake/gateway'
import { fetchPodStatuses, podRows, readPodMetrics } from './pod-statuses.ts'

test('a pod reports its configuration; a pod that does not answer is unknown, and no sum includes it', async () => {
  await using gateway = await startGatewayProcess({ admin: true, config: { routers: [] } })
  const dependencies = { adminPort: Number(new URL(gateway.adminUrl ?? '').port) }
  const pod = (name: string, address: string, ready = true) => ({ name, node: 'a', ready, address })
  // At the second address no process listens on that port, and the third pod has no address.
  const pods = [pod('gone', '127.9.9.9'), pod('main', '127.0.0.1'), pod('coming', '', false)]
  const statuses = await fetchPodStatuses(pods, dependencies)
  const digest = statuses.flatMap(({ state }) => (state.reachable ? [state.digest] : []))[0] ?? ''
  assert.match(digest, /^sha256:/)
  const lags = (effective: string | null) => podRows(pods, statuses, effective).map(({ name, lag }) => [name, lag])
  const away = [
    ['coming', 'unknown'],
    ['gone', 'unknown'],
  ]
  assert.deepEqual(lags(digest), [...away, ['main', 'none']])
  assert.deepEqual(lags('sha256:other'), [...away, ['main', 'behind']])
  assert.deepEqual(lags(null), [...away, ['main', 'unknown']])
  assert.equal((await fetch(`${gateway.url}/echo/`)).status, 200)
  const names = new Set<string>()
  const take = ({ name }: { readonly name: string }) => names.add(name)
  assert.equal(await readPodMetrics([pod('main', '127.0.0.1')], take, dependencies), true)
  assert.ok(names.has('llm_gateway_requests_total'), [...names].join())
  assert.equal(await readPodMetrics(pods, take, dependencies), false)
  assert.equal(await readPodMetrics([pod('coming', '', false)], take, dependencies), false)
})
