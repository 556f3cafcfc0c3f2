import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createTransport } from '@llm-gateway/kube'
import { startGateway } from '@llm-gateway/test/fake/gateway'
import { createAskPod } from './ask-pod.ts'
import { decodePod } from './decode.ts'

// Rules: docs/reference/configuration-rules.md#status

const METADATA = { name: 'main', namespace: 'llm', uid: 'u', creationTimestamp: '2026-11-21T01:00:00Z' }

test('a gateway names the routers that it rejects by their index, those without a usable path too', async () => {
  const served = { path: '/a/', outbound: { url: 'http://127.0.0.1:9/' } }
  const routers = [{ path: '/no-url/' }, served, { ...served, path: 'no path' }, served]
  await using gateway = await startGateway({ config: { routers }, admin: true })
  const api = createServer(async (_, response) => {
    response.end(await (await fetch(`${gateway.adminUrl}/status`)).text())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => api.once('listening', resolve))
  const place = api.address()
  const pod = decodePod({ metadata: METADATA })
  assert.ok(pod && typeof place === 'object' && place !== null)
  const server = `http://127.0.0.1:${place.port}`
  const access = { server, tls: {}, authorization: async () => undefined, refused: () => undefined }
  const transport = createTransport({ access })
  try {
    const report = await createAskPod(transport, 'proxy')(pod, { entries: false })
    assert.deepEqual(report.kind === 'reported' && report.rejectedRouters, [0, 2, 3])
  } finally {
    await transport.close()
    api.close()
  }
})
