import { Agent, request as httpsRequest } from 'node:https'
import { test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type ClusterScene, gatewayOf, routerOf, startClusterScene } from './cluster-scene-under-test.ts'

const ROUTERS = Number(process.env.ROUTERS ?? 1_000)
const AT_ONCE = 32

test(`${ROUTERS} Routers: pages of rows, a draft judged among all`, { skip: whyNoApiServer(process.env) }, async () => {
  await using scene = await startClusterScene({ namespaces: [], program: true })
  await scene.apply(gatewayOf())
  console.log('rss empty', scene.rss())
  await createRouters(scene)
  await scene.until('all of them', async () =>
    (await scene.ask('resources', { query: { limit: '1' } })).json.total > ROUTERS ? true : undefined,
  )
  console.log('rss filled', scene.rss())
  let slowest = 0
  let going = true
  const probe = (async () => {
    while (going) {
      const t = performance.now()
      await scene.open('/healthz')
      slowest = Math.max(slowest, performance.now() - t)
      await new Promise((r) => setTimeout(r, 10))
    }
  })()
  const manifest = (await scene.ask('resource', { parameters: { kind: 'Router', namespace: 'llm', name: 'r7' } })).json
    .manifest
  for (let i = 0; i < 4; i += 1) {
    const t = performance.now()
    const { json } = await scene.ask('checkResource', {
      body: { manifest: manifest.replace('res.example', `x${i}.example`) },
    })
    console.log(
      'check',
      Math.round(performance.now() - t),
      json.result,
      'slowest',
      Math.round(slowest),
      'rss',
      scene.rss(),
    )
    slowest = 0
  }
  for (let i = 0; i < 3; i += 1) {
    const t = performance.now()
    const { json } = await scene.ask('resources', { query: { limit: '1000' } })
    console.log(
      'list',
      Math.round(performance.now() - t),
      json.resources.length,
      JSON.stringify(json).length,
      'slowest',
      Math.round(slowest),
      'rss',
      scene.rss(),
    )
    slowest = 0
  }
  const huge = `${manifest}  env:\n${'    - {name: A, value: "b"}\n'.repeat(38_000)}`
  const t = performance.now()
  const { json } = await scene.ask('checkResource', { body: { manifest: huge } })
  console.log(
    'huge',
    huge.length,
    Math.round(performance.now() - t),
    json.result,
    'slowest',
    Math.round(slowest),
    'rss',
    scene.rss(),
  )
  going = false
  await probe
})

async function createRouters({ server }: ClusterScene): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, ca: server.authority })
  const names = Array.from({ length: ROUTERS }, (_, index) => `r${index}`).values()
  const worker = async (): Promise<void> => {
    for (const name of names) await post(name)
  }
  const post = (name: string) =>
    new Promise<void>((resolve, reject) => {
      const body = JSON.stringify(
        routerOf(name, {
          outbound: {
            url: 'https://res.example/',
            headers: { 'Api-Key': ['${KEY}'], 'Content-Type': ['application/json'] },
          },
          ingress: { headers: { 'Api-Key': ['${CALLER}'] } },
          env: [
            { name: 'KEY', valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } } },
            { name: 'CALLER', valueFrom: { secretKeyRef: { name: 'callers', key: 'a' } } },
          ],
        }),
      )
      const sent = httpsRequest(
        new URL('/apis/llmgateway.io/v1alpha1/namespaces/llm/routers', server.url),
        {
          agent,
          method: 'POST',
          headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
        },
        (answer) => {
          answer.resume()
          answer.on('end', () => (answer.statusCode === 201 ? resolve() : reject(new Error(String(answer.statusCode)))))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  agent.destroy()
}
