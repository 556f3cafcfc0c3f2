import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type ClusterScene, gatewayManifest, routerManifest, startClusterScene } from './cluster-scene-under-test.ts'

const KEY = 'literal-key-77b3c1'
const MASK = '[*****MASKED*****]'

describe('mode Edit on a real API server', { skip: whyNoApiServer(process.env) }, () => {
  let scene: ClusterScene
  before(async () => {
    scene = await startClusterScene({ mode: 'Edit', namespaces: [] })
    scene.secrets.push(KEY)
    await scene.apply(
      gatewayManifest(),
      routerManifest('keyed', {
        outbound: { url: 'https://res.example/', headers: { 'Api-Key': [KEY], 'X-Plain': ['seen'] } },
      }),
      routerManifest('victim', { outbound: { url: 'https://res.example/', headers: { 'Api-Key': [KEY] } } }),
    )
  })
  after(async () => scene?.[Symbol.asyncDispose]())

  const place = (name: string) => ({ parameters: { kind: 'Router', namespace: 'llm', name } })
  const shownResource = async (name: string) => (await scene.ask('resource', place(name))).json
  const storedResource = async (name: string) =>
    JSON.parse(await scene.kubectl(['-n', 'llm', 'get', 'router', name, '-o', 'json', '--show-managed-fields']))
  const apply = (manifest: string, more: object = {}) => scene.ask('applyResource', { body: { manifest, ...more } })
  const yamlOf = (name: string, header: string) => `apiVersion: llmgateway.io/v1alpha1
kind: Router
metadata: {name: ${name}, namespace: llm}
spec:
  gatewayRef: {name: main}
  path: /${name}/
  outbound: {url: "https://res.example/", headers: {Api-Key: ["${header}"]}}
`

  test('without the edit role no resource can be written, and the answer has the command that grants the right', async () => {
    const resource = await shownResource('keyed')
    assert.equal(resource.editable, false)
    const { json } = await apply(yamlOf('new', 'x'))
    assert.equal(json.error.code, 'FORBIDDEN')
    assert.equal(json.error.command, resource.not_editable.command)
    const [program, ...args] = json.error.command.split(' ')
    assert.equal(program, 'kubectl')
    assert.deepEqual(await scene.kubectl(['-n', 'llm', 'get', 'router', 'new', '--ignore-not-found', '-o', 'name']), '')
    await scene.kubectl(args)
    await scene.until('the right', async () => ((await shownResource('keyed')).editable ? true : undefined))
  })

  test('a dry run writes nothing, and answers distinguish created, changed, unchanged and deleted resources', async () => {
    const dry = (await scene.ask('dryRunResource', { body: { manifest: yamlOf('new', 'x') } })).json
    assert.equal(dry.result, 'created', JSON.stringify(dry))
    assert.equal((await scene.ask('resource', place('new'))).json.error.code, 'NOT_FOUND')
    const created = (await apply(yamlOf('new', 'x'))).json
    assert.deepEqual([created.result, created.generation], ['created', 1])
    assert.deepEqual(
      (await storedResource('new')).metadata.managedFields.map(({ manager }: { manager: string }) => manager),
      ['llm-gateway-web'],
    )
    assert.equal((await apply(yamlOf('new', 'x'))).json.result, 'unchanged')
    const changed = (await apply(yamlOf('new', 'x').replace('res.example', 'other.example'))).json
    assert.equal(changed.result, 'changed')
    assert.match(changed.diff, /\+ {4}url: https:\/\/other\.example\//)
    assert.equal((await scene.ask('deleteResource', place('new'))).json.place.name, 'new')
    assert.equal((await scene.ask('deleteResource', place('new'))).json.error.code, 'NOT_FOUND')
  })

  test('a field of another manager is a conflict that names the manager, and nothing is forced', async () => {
    const { manifest, owned_fields: owned } = await shownResource('keyed')
    assert.ok(owned.some(({ path }: { path: string }) => path === '.spec.outbound.url'))
    const { json } = await apply(manifest.replace('- seen', '- changed'))
    assert.equal(json.error.code, 'CONFLICT_OF_MANAGERS', JSON.stringify(json))
    assert.deepEqual(json.error.managers, [
      { path: '.spec.outbound.headers.X-Plain', manager: 'kubectl-client-side-apply' },
    ])
    assert.deepEqual((await storedResource('keyed')).spec.outbound.headers['X-Plain'], ['seen'])
  })

  test('a mask at its place keeps the stored literal, which moves to no other place', async () => {
    const { manifest } = await shownResource('keyed')
    assert.ok(manifest.includes(MASK))
    const more = manifest.replace('internal: false', 'internal: false\n  env:\n    - name: A\n      value: b')
    const { json } = await apply(more)
    assert.equal(json.result, 'changed', JSON.stringify(json))
    assert.deepEqual((await storedResource('keyed')).spec.outbound.headers['Api-Key'], [KEY])
    const attacks: readonly (readonly [what: string, manifest: string])[] = [
      ['to a resource of its own', yamlOf('thief', MASK)],
      ['to another header', manifest.replace('Api-Key:', 'X-Shown:')],
      ['to a place where it is shown', manifest.replace('- seen', `- "${MASK}"`)],
      ['to another server', manifest.replace('res.example', 'evil.example')],
      ['into a longer text', manifest.replace(MASK, `${MASK}${MASK}`)],
      ['into the address', manifest.replace('https://res.example/', `https://res.example/${MASK}`)],
    ]
    for (const [what, text] of attacks) {
      assert.notEqual(text, manifest)
      assert.equal((await apply(text)).json.error?.code, 'MASKED_NOWHERE', what)
    }
  })

  test('a resource that changed since it was shown is not overwritten; a new status alone does not count', async () => {
    await apply(yamlOf('raced', 'x'))
    const { resource_version: version } = await shownResource('raced')
    const status = { status: { observedGeneration: 1 } }
    await scene.kubectl([
      '-n',
      'llm',
      'patch',
      'router',
      'raced',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify(status),
    ])
    assert.equal((await apply(yamlOf('raced', 'y'), { resource_version: version })).json.result, 'changed')
    assert.equal((await apply(yamlOf('raced', 'z'), { resource_version: version })).json.error.code, 'RESOURCE_CHANGED')
    const query = { resource_version: version }
    const removed = await scene.ask('deleteResource', { ...place('raced'), query })
    assert.equal(removed.json.error.code, 'RESOURCE_CHANGED')
    assert.deepEqual((await storedResource('raced')).spec.outbound.headers['Api-Key'], ['y'])
  })

  test('a refusal of the API server is shown without the masked literals', async () => {
    await apply(yamlOf('own', KEY))
    const { manifest } = await shownResource('own')
    assert.ok(manifest.includes(MASK))
    const { json } = await apply(manifest.replace('path: /own/', 'path: /other/'))
    assert.equal(json.error.code, 'NOT_VALID')
    assert.match(json.error.message, /immutable/)
    const other = await apply(`${yamlOf('a', 'x')}status: {}\n`.replace('kind: Router', 'kind: Secret'))
    assert.equal(other.json.error.code, 'NOT_VALID')
    const finalizers = yamlOf('a', 'x').replace('namespace: llm}', 'namespace: llm, finalizers: [a.b/c]}')
    assert.equal((await apply(finalizers)).json.error.code, 'NOT_VALID')
  })

  test('markup in headers and events stays text', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\'\u2028'
    await apply(yamlOf('hostile', 'x').replace('Api-Key: ["x"]', `X-Markup: [${JSON.stringify(hostile)}]`))
    const { uid } = (await storedResource('hostile')).metadata
    const now = new Date().toISOString()
    await scene.apply({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'hostile.1', namespace: 'llm' },
      regarding: { apiVersion: 'llmgateway.io/v1alpha1', kind: 'Router', namespace: 'llm', name: 'hostile', uid },
      type: 'Warning',
      reason: 'Markup',
      action: 'Look',
      note: hostile,
      eventTime: now.replace('Z', '000Z'),
      reportingController: 'test',
      reportingInstance: 'test',
    })
    const resource = await shownResource('hostile')
    assert.deepEqual(
      resource.events.map(({ message, type }: Record<string, unknown>) => [message, type]),
      [[hostile, 'Warning']],
    )
    assert.ok(resource.manifest.includes('<img'))
    const head = await scene.open('/api/v1/resources')
    assert.equal(head.status, 401)
  })
})
