import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { test } from 'node:test'
import { type ApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { gatewayManifest, routerManifest, startClusterScene } from './cluster-scene-under-test.ts'

/** LARGE=1 makes 5,000 Routers, which takes a minute. */
const ROUTERS = process.env.LARGE === '1' ? 5_000 : 300
const PAGE = 100
const AT_ONCE = 16

test(`${ROUTERS} Routers are listed in pages, a draft is checked against all of them, and the server keeps answering`, {
  skip: whyNoApiServer(process.env),
}, async () => {
  await using scene = await startClusterScene({ namespaces: [], program: true })
  await scene.apply(gatewayManifest())
  await createRouters(scene.server)
  await scene.until('all Routers', async () => {
    const { json } = await scene.ask('resources', { query: { limit: '1' } })
    return json.total === ROUTERS + 1 ? true : undefined
  })
  console.log(`resident with ${ROUTERS} Routers: ${scene.rss()} MB`)
  const names = new Set<string>()
  let after: string | null = null
  do {
    const query: Record<string, string> = { kind: 'Router', limit: String(PAGE), ...(after === null ? {} : { after }) }
    const { json } = await scene.ask('resources', { query })
    assert.ok(json.resources.length <= PAGE)
    for (const { name } of json.resources) names.add(name)
    after = json.next
  } while (after !== null)
  assert.equal(names.size, ROUTERS)
  const parameters = { kind: 'Router', namespace: 'llm', name: 'r7' }
  const { manifest } = (await scene.ask('resource', { parameters })).json
  const draft = manifest.replace('res.example', 'other.example')
  const probes: number[] = []
  const check = scene.ask('checkResource', { body: { manifest: draft } })
  const long = `${manifest}${'    - name: A\n      value: b\n'.repeat(5_000)}`
  const refused = scene.ask('checkResource', { body: { manifest: long } })
  const both = Promise.all([check, refused])
  const isDone = async () => (await Promise.race([both, undefined])) !== undefined
  while (!(await isDone())) {
    const began = performance.now()
    assert.equal((await scene.open('/healthz')).status, 200)
    probes.push(performance.now() - began)
  }
  const [{ json: verdict }, { json: invalid }] = await both
  assert.equal(verdict.result, 'valid', JSON.stringify(verdict.conditions))
  assert.match(verdict.file.after, /other\.example/)
  assert.equal(invalid.result, 'invalid')
  const huge = `${manifest}${'    - {name: A, value: "b"}\n'.repeat(37_000)}`
  assert.equal((await scene.ask('checkResource', { body: { manifest: huge } })).json.result, 'invalid')
  assert.equal((await scene.ask('checkResource', { body: { manifest } })).json.result, 'valid')
  const slowest = Math.round(Math.max(...probes))
  console.log(`meanwhile ${probes.length} probes, the slowest in ${slowest} ms; resident then: ${scene.rss()} MB`)
  // The probes were sent one after another while the drafts were judged.
  assert.ok(probes.length > 3)
})

async function createRouters(server: ApiServer): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, ca: server.authority })
  const names = Array.from({ length: ROUTERS }, (_, index) => `r${index}`).values()
  const work = async (): Promise<void> => {
    for (const name of names) assert.equal(await create(server, agent, name), 201)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  agent.destroy()
}

function create({ url, token }: ApiServer, agent: Agent, name: string): Promise<number | undefined> {
  const key = (variable: string) => ({ name: variable, valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } })
  const router = routerManifest(name, {
    ingress: { headers: { 'Api-Key': ['${CALLER}'] } },
    outbound: { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'] } },
    env: [key('CALLER'), key('KEY')],
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const path = '/apis/llmgateway.io/v1alpha1/namespaces/llm/routers'
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request(new URL(path, url), { agent, method: 'POST', headers }, (answer) => {
    answer.resume()
    answer.on('end', () => resolve(answer.statusCode))
  })
  sent.on('error', reject)
  sent.end(JSON.stringify(router))
  return promise
}
