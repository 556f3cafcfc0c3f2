import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type ClusterScene, gatewayManifest, routerManifest, startClusterScene } from './cluster-scene-under-test.ts'

const KEY = 'literal-key-4f1f0d'

describe('the Kubernetes edition on a real API server', { skip: whyNoApiServer(process.env) }, () => {
  let scene: ClusterScene
  before(async () => {
    scene = await startClusterScene({ namespaces: ['team-a', 'team-b', 'gone'] })
    scene.secrets.push(KEY, 'secret-of-the-cluster')
    await scene.kubectl([
      '-n',
      'llm',
      'create',
      'secret',
      'generic',
      'azure',
      '--from-literal=key=secret-of-the-cluster',
    ])
    await scene.apply(
      gatewayManifest({
        allowedRouters: { namespaces: { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } } },
        sharedEnv: [
          {
            name: 'SHARED_KEY',
            valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } },
            hosts: ['res.example'],
            namespaces: { from: 'All' },
          },
        ],
      }),
      routerManifest('keyed', {
        outbound: { url: 'https://res.example/', headers: { 'Api-Key': [KEY], 'X-Plain': ['seen'] } },
      }),
      routerManifest('variables', {
        outbound: { url: 'https://res.example/', headers: { 'Api-Key': ['${OWN}'], 'X-A': ['${NOBODY}'] } },
        env: [
          { name: 'OWN', valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } } },
          { name: 'API_TOKEN', value: KEY },
        ],
      }),
    )
  })
  after(async () => scene?.[Symbol.asyncDispose]())

  const until = (what: string, holds: (json: ReturnType<typeof JSON.parse>) => boolean) =>
    scene.until(what, async () => {
      const { json } = await scene.ask('resources')
      return holds(json) ? json : undefined
    })
  const place = (name: string, kind = 'Router', namespace = 'llm') => ({ parameters: { kind, namespace, name } })

  test('the list has the gateway, its Routers and the unreadable namespaces with the command that grants the right', async () => {
    const list = await until('two Routers', ({ total }) => total === 3)
    assert.deepEqual(
      list.resources.map(({ kind, name, ready }: Record<string, string>) => [kind, name, ready]),
      [
        ['LLMGateway', 'main', 'Unknown'],
        ['Router', 'keyed', 'Unknown'],
        ['Router', 'variables', 'Unknown'],
      ],
    )
    assert.deepEqual(list.resources[1].managed_by, ['kubectl-client-side-apply'])
    const unread = await until(
      'three lists that can not be read',
      ({ unreadable }) =>
        unreadable.length === 3 && unreadable.every(({ command }: { command: unknown }) => command !== null),
    )
    assert.deepEqual(unread.unreadable.map(({ namespace }: { namespace: string }) => namespace).toSorted(), [
      'gone',
      'team-a',
      'team-b',
    ])
  })

  test('a granted and a revoked right are noticed', async () => {
    await scene.apply(routerManifest('other', { path: '/team-a/other/' }, 'team-a'))
    const { unreadable } = await until('the refusal', (json) => json.unreadable.length === 3)
    const { command } = unreadable.find(({ namespace }: { namespace: string }) => namespace === 'team-a')
    const [program, ...args] = command.split(' ')
    assert.equal(program, 'kubectl')
    await scene.kubectl(args)
    await until('the Router of team-a', ({ resources }) =>
      resources.some(({ name }: { name: string }) => name === 'other'),
    )
    await scene.kubectl(['-n', 'team-a', 'delete', 'rolebinding', 'main-web'])
    // Rights are checked when a watch begins, so the namespace is dropped and followed again.
    await scene.rewrite({ namespaces: ['team-b'] })
    await until('it is gone', ({ resources, unreadable: left }) => {
      return resources.length === 3 && left.length === 1
    })
    await scene.rewrite({ namespaces: ['team-a', 'team-b', 'gone'] })
  })

  test('a shown manifest can be applied and has no literals of masked headers or secret variables', async () => {
    const { status, json } = await scene.ask('resource', place('keyed'))
    assert.equal(status, 200)
    assert.deepEqual(json.masked, ['.spec.outbound.headers.Api-Key[0]'])
    assert.match(json.manifest, /X-Plain:\n\s+- seen/)
    assert.match(json.manifest, /\[\*\*\*\*\*MASKED\*\*\*\*\*\]/)
    assert.doesNotMatch(json.manifest, /managedFields|resourceVersion|status:|last-applied/)
    const dry = await scene.server.kubectl(['apply', '--dry-run=server', '-f', '-'], json.manifest)
    assert.equal(dry.code, 0, dry.stderr)
    assert.ok(json.owned_fields.some(({ path }: { path: string }) => path === '.spec.outbound.url'))
    const variables = (await scene.ask('resource', place('variables'))).json
    assert.deepEqual(variables.masked, ['.spec.env[1].value'])
    assert.deepEqual(variables.variables, [
      { name: 'NOBODY', state: 'unknown', value: null },
      { name: 'OWN', state: 'declared', value: 'known after apply' },
    ])
    assert.equal(variables.editable, false)
    assert.equal((await scene.ask('resource', place('nobody'))).json.error.code, 'NOT_FOUND')
    assert.equal((await scene.ask('resource', place('a', 'Router', 'team-b'))).json.error.code, 'FORBIDDEN')
  })

  test('the check of a draft equals the operator’s, with the diffs of gl_config.json and of the manifest', async () => {
    const manifest = (await scene.ask('resource', place('keyed'))).json.manifest.replace(
      'res.example',
      '169.254.169.254',
    )
    const { json } = await scene.ask('checkResource', { body: { manifest } })
    assert.equal(json.result, 'not_ready', JSON.stringify(json))
    const resolved = json.conditions.find(({ type }: { type: string }) => type === 'ResolvedRefs')
    assert.deepEqual([resolved.status, resolved.reason], ['False', 'HostNotAllowed'])
    assert.match(json.diff, /- {4}url: https:\/\/res\.example\/\n\+ {4}url: https:\/\/169\.254\.169\.254\//)
    assert.match(json.file.before, /res\.example/)
    assert.deepEqual(json.masked, ['.spec.outbound.headers.Api-Key[0]'])
    assert.equal(json.command, 'kubectl apply --server-side --dry-run=server -f -')
  })

  test('a draft with the path of an older Router is rejected, and a draft with a shorter path breaks no other Router', async () => {
    const draft = `apiVersion: llmgateway.io/v1alpha1
kind: Router
metadata: {name: draft, namespace: llm}
spec:
  gatewayRef: {name: main}
  path: /keyed/
  outbound: {url: "https://res.example/", headers: {Api-Key: ["\${SHARED_KEY}"]}}
`
    const { json } = await scene.ask('checkResource', { body: { manifest: draft } })
    assert.deepEqual([json.result, json.stored, json.others], ['not_ready', null, []])
    assert.equal(json.conditions[0].reason, 'PathConflict')
    const free = draft.replace('/keyed/', '/free/')
    const taken = (await scene.ask('checkResource', { body: { manifest: free } })).json
    assert.equal(taken.result, 'valid', JSON.stringify(taken))
    assert.deepEqual(taken.variables, [{ name: 'SHARED_KEY', state: 'shared', value: 'known after apply' }])
    assert.equal(taken.conditions[1].reason, 'KnownAfterApply')
    assert.match(taken.file.after, /"\/free\/"/)
    assert.equal(taken.file.before, '')
  })

  test('errors in a manifest have lines and columns', async () => {
    const broken = `apiVersion: llmgateway.io/v1alpha1
kind: Router
metadata: {name: draft, namespace: llm}
spec:
  gatewayRef: {name: main}
  path: keyed
  outbound:
    uri: x
`
    const { json } = await scene.ask('checkResource', { body: { manifest: broken } })
    assert.equal(json.result, 'invalid')
    const places = json.errors.map(({ path, line, column }: Record<string, unknown>) => [path, line, column])
    assert.ok(JSON.stringify(places).includes(JSON.stringify(['.spec.path', 6, 3])), JSON.stringify(json.errors))
    assert.ok(
      JSON.stringify(places).includes(JSON.stringify(['.spec.outbound.uri', 8, 5])),
      JSON.stringify(json.errors),
    )
    for (const manifest of ['', 'a: [', 'kind: Secret', `${broken}---\n${broken}`, 'x: &a [*a]', '['.repeat(20_000)]) {
      const answer = await scene.ask('checkResource', { body: { manifest } })
      assert.equal(answer.json.result, 'invalid', manifest.slice(0, 20))
      assert.ok(answer.json.errors.length > 0)
    }
  })

  test('the configuration, schemas, routers, overview and probes answer in the Kubernetes edition', async () => {
    const none = (await scene.ask('configuration')).json
    assert.deepEqual([none.text, none.pods], [null, []])
    const text = JSON.stringify({ routers: [{ path: '/a/', outbound: { url: 'x', headers: { 'Api-Key': [KEY] } } }] })
    await scene.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'main-config', namespace: 'llm' },
      data: { 'gl_config.json': text },
    })
    const file = (await scene.ask('configuration')).json
    assert.match(file.text, /MASKED/)
    assert.match(file.digest, /^sha256:/)
    for (const kind of ['LLMGateway', 'Router', 'Processor'])
      assert.ok((await scene.ask('resourceSchema', { parameters: { kind } })).json.properties.spec.properties)
    const { routers } = (await scene.ask('routers')).json
    assert.deepEqual(
      routers.map(({ path }: { path: string }) => path),
      ['/keyed/', '/variables/'],
    )
    const { json } = await scene.ask('overview')
    assert.deepEqual(json.kubernetes, { namespace: 'llm', gateway: 'main', mode: 'ReadOnly', pods: [] })
    assert.equal(json.gateway.reachable, false)
    assert.equal((await scene.open('/healthz', { host: 'whatever.example' })).text, 'ok\n')
    assert.equal((await scene.open('/api/v1/files')).status, 404)
  })

  test('in mode ReadOnly no resource is written, and the account has no right to write', async () => {
    const { manifest } = (await scene.ask('resource', place('keyed'))).json
    for (const name of ['applyResource', 'dryRunResource'] as const)
      assert.equal((await scene.ask(name, { body: { manifest } })).json.error.code, 'READ_ONLY_MODE')
    assert.equal((await scene.ask('deleteResource', place('keyed'))).json.error.code, 'READ_ONLY_MODE')
    const own = (args: readonly string[]) =>
      scene.server.kubectl(['--kubeconfig', scene.kubeconfig, '-n', 'llm', ...args])
    const change = ['--type=merge', '-p', '{"metadata":{"labels":{"a":"b"}}}']
    for (const args of [
      ['patch', 'router', 'keyed', ...change],
      ['delete', 'router', 'keyed', '--wait=false'],
      ['patch', 'llmgateway', 'main', ...change],
      ['create', 'configmap', 'a'],
      ['get', 'secrets'],
      ['get', 'secret', 'azure'],
      ['get', 'configmaps'],
    ]) {
      const { code, stderr } = await own(args)
      assert.notEqual(code, 0)
      assert.match(stderr, /forbidden/i, args.join(' '))
    }
  })
})
