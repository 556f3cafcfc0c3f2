import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createTransport } from '@llm-gateway/kube'
import { startScriptedServer } from '@llm-gateway/kube/scripted-server-under-test'
import { startGateway } from '@llm-gateway/test/fake/gateway'
import { createAskPod, type PodQuestion } from './ask-pod.ts'
import { decodePod } from './decode.ts'

// Rules: docs/reference/configuration-rules.md#status, docs/reference/kubernetes.md#delivery

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

async function answerTo(question: PodQuestion, body: string) {
  await using server = await startScriptedServer([(response) => response.end(body)])
  const transport = createTransport({ access: server.access })
  const pod = decodePod({ metadata: METADATA })
  assert.ok(pod)
  try {
    return await createAskPod(transport, 'proxy')(pod, question)
  } finally {
    await transport.close()
  }
}

const TOO_LONG = { kind: 'unreachable', tooLong: true }
const endless: readonly (readonly [string, string])[] = [
  ['four megabytes of text', `{"digest":"x","z":"${'z'.repeat(4_000_000)}"}`],
  ['200,000 empty lists', `{"digest":"x","z":[${'[],'.repeat(200_000)}1]}`],
  ['200,000 nested lists', `{"digest":"x","z":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['200,000 objects', `{"digest":"x","z":[${'{},'.repeat(200_000)}1]}`],
]
for (const [what, body] of endless) {
  test(`a pod that answers with ${what} is unreachable, and its answer is not parsed`, async () => {
    assert.deepEqual(await answerTo({ entries: false }, body), TOO_LONG)
    assert.deepEqual(await answerTo({ entries: true, routers: 10 }, body), TOO_LONG)
  })
}

test('a pod may answer with as many routers as its gateway has, and with those of an earlier configuration', async () => {
  const hash = 'f'.repeat(71)
  const paths = Array.from({ length: 10_000 }, (_, index) => `/${'p'.repeat(246)}-${index}/`)
  const body = JSON.stringify({ digest: 'x', entries: Object.fromEntries(paths.map((path) => [path, hash])) })
  const report = await answerTo({ entries: true, routers: 10_000 }, body)
  assert.equal(report.kind === 'reported' && report.entries?.size, 10_000)
  assert.deepEqual(await answerTo({ entries: true, routers: 10 }, body), TOO_LONG)
  const few = JSON.stringify({
    digest: 'x',
    entries: Object.fromEntries(paths.slice(0, 900).map((path) => [path, hash])),
  })
  const earlier = await answerTo({ entries: true, routers: 0 }, few)
  assert.equal(earlier.kind === 'reported' && earlier.entries?.size, 900)
})
