import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { llmGatewaySchema } from '@llm-gateway/crds'
import { type KubeClient, Store, type Stored, type WriteOutcome } from '@llm-gateway/kube'
import { createLiveFile } from './live-file.ts'

const gateway = llmGatewaySchema.parse({ metadata: { name: 'main', namespace: 'llm' }, spec: {} })
const entry = { name: 'guard', service_bus_topic: 'llm.gl.custom.guard', timeout: 1, required: true, routers: [] }
const FILE = JSON.stringify({ request: { processors: [[entry]] }, response: { processors: [] }, routers: [] })

/** Makes a client that returns the given answer and counts its reads. */
function reading(answer: () => WriteOutcome | undefined) {
  let asked = 0
  const never = async (): Promise<WriteOutcome> => ({ kind: 'refused', status: 500, code: 'never' })
  const client: KubeClient = {
    get: async () => {
      asked += 1
      return answer()
    },
    apply: never,
    create: never,
    merge: never,
    remove: never,
  }
  const store = new Store<Stored>()
  const file = createLiveFile(client, store)
  const names = async () => (await file.read(gateway)).callPoints.map(({ phase, entry }) => `${phase} ${entry.name}`)
  return { file, store, names, asked: () => asked }
}

function configMap(content: object): WriteOutcome {
  return { kind: 'written', object: { metadata: { name: 'main-config', resourceVersion: '7' }, ...content } }
}

const files: readonly (readonly [string, object, readonly string[]])[] = [
  ['as text', { data: { 'gl_config.json': FILE } }, ['request guard']],
  ['packed', { binaryData: { 'gl_config.json': gzipSync(FILE).toString('base64') } }, ['request guard']],
  ['broken', { data: { 'gl_config.json': '{' } }, []],
  ['empty', {}, []],
]
for (const [what, content, expected] of files) {
  test(`a live file that is ${what} gives ${expected.length} call points`, async () => {
    assert.deepEqual(await reading(() => configMap(content)).names(), expected)
  })
}

test('each part of a file that a newer operator wrote is read on its own', async () => {
  const newer = { ...entry, name: 'newer', timeout: 'soon' }
  const works = { path: '/a/', internal: true, ingress: { headers: { A: ['b'] } }, outbound: { url: 'u', headers: {} } }
  const routers = [
    works,
    { path: '/b/', disabled: true },
    { path: '/c/', ingress: { headers: { A: 7 } } },
    { path: 7 },
    7,
  ]
  const text = JSON.stringify({ gl_port: 'new', request: { processors: [[newer], 7, [entry]] }, routers })
  const { file } = reading(() => configMap({ data: { 'gl_config.json': text } }))
  const content = await file.read(gateway)
  assert.deepEqual(
    content.callPoints.map(({ phase, row, entry: { name } }) => [phase, row, name]),
    [['request', 2, 'guard']],
  )
  const read = { ...works, outbound: { ...works.outbound, endpoint: '' } }
  assert.deepEqual([...content.routers.values()], [read, { path: '/b/', disabled: true }])
})

test('the last file stays in force while there is none', async () => {
  let answer: WriteOutcome | undefined = configMap({ data: { 'gl_config.json': FILE } })
  const { names } = reading(() => answer)
  await names()
  answer = undefined
  assert.deepEqual(await names(), ['request guard'])
})

test('a file that can not be read does not count as an empty file', async () => {
  const { names } = reading(() => ({ kind: 'refused', status: 403, code: 'Forbidden' }))
  await assert.rejects(names, { code: 'CONFIG_UNREADABLE' })
})

test('the largest file that the operator writes is read, and a larger one does not count as an empty file', async () => {
  const namesIn = (values: number) => {
    const routers = Array(values / 1_000).fill(Array(1_000).fill(7))
    const text = JSON.stringify({ request: { processors: [[entry]] }, routers })
    return reading(() => configMap({ data: { 'gl_config.json': text } })).names()
  }
  assert.deepEqual(await namesIn(4_000_000), ['request guard'])
  await assert.rejects(namesIn(5_000_000), { code: 'CONFIG_UNREADABLE' })
})

test("the operator doesn't read back its own file until somebody else writes it", async () => {
  const { file, store, names, asked } = reading(() => configMap({ data: { 'gl_config.json': FILE } }))
  const { metadata } = llmGatewaySchema.parse({
    metadata: { name: 'main-config', namespace: 'llm', resourceVersion: '6' },
    spec: {},
  })
  store.put({ metadata })
  file.wrote(gateway, JSON.stringify({ routers: [] }))
  assert.deepEqual(await names(), [])
  assert.equal(asked(), 0)
  store.put({ metadata: { ...metadata, resourceVersion: '7' } })
  assert.deepEqual(await names(), ['request guard'])
  assert.deepEqual(await names(), ['request guard'])
  assert.equal(asked(), 1)
})

test('others have their turns of the event loop while a large file is read', async () => {
  const routers = Array.from({ length: 500 }, (_, index) => `/team/router-${index}/`)
  const rows = Array.from({ length: 300 }, () => [{ ...entry, routers }])
  const text = JSON.stringify({ request: { processors: rows }, response: { processors: [] }, routers: [] })
  const { names } = reading(() => configMap({ data: { 'gl_config.json': text } }))
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  assert.equal((await names()).length, 300)
  clearImmediate(counting)
  assert.ok(turns > 1, `${turns}`)
})
