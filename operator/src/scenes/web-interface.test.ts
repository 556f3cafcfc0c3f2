import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#web-interface, docs/reference/kubernetes.md#ownership,
// docs/reference/kubernetes.md#pause

const API = 'llmgateway.io/v1alpha1'
const SYSTEM = 'llm-gateway-system'
const QUIET_MS = 2_500
const ACCOUNT = 'system:serviceaccount:llm:main-web'
const OBJECTS = ['serviceaccount', 'rolebinding', 'configmap', 'service', 'networkpolicy', 'deployment', 'secret']

type Json = ReturnType<typeof JSON.parse>

describe('a web interface beside a gateway, on a real API server with the shipped rights', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene()
    for (const name of ['team-a', 'team-b']) {
      const labels = name === 'team-a' ? { llm: 'yes' } : {}
      await scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
    }
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const applyGateway = (spec: object, name = 'main') => {
    const allowedRouters = { namespaces: { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } } }
    const metadata = { name, namespace: 'llm' }
    return scene.apply({ apiVersion: API, kind: 'LLMGateway', metadata, spec: { allowedRouters, ...spec } })
  }
  const applySecret = (name: string, stringData: object) =>
    scene.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'llm' }, stringData })
  const routerIn = (namespace: string) => {
    const gatewayRef = { name: 'main', namespace: 'llm' }
    const spec = { gatewayRef, path: `/${namespace}/`, outbound: { url: 'https://res.example/' } }
    return scene.apply({ apiVersion: API, kind: 'Router', metadata: { name: 'a', namespace }, spec })
  }
  const stands = async (name = 'main-web'): Promise<void> => {
    for (const kind of OBJECTS) await scene.untilTrue(`${kind}/${name}`, () => scene.isThere(`${kind}/${name}`))
  }
  const settingsOf = async (): Promise<string> =>
    (await scene.get('deployment', 'main-web')).spec.template.metadata.annotations['llmgateway.io/settings']
  const fileOf = async (): Promise<Json> =>
    JSON.parse((await scene.get('configmap', 'main-web')).data['gui_config.json'])
  const generated = async (): Promise<string> =>
    Buffer.from((await scene.get('secret', 'main-web')).data.GUI_SECRET, 'base64').toString()
  const condition = async (type: string, name = 'main'): Promise<Json> =>
    (await scene.get('llmgateway', name)).status?.conditions?.find((one: Json) => one.type === type)
  const changesFrom = (before: string): Promise<true> =>
    scene.until('another template', async () => ((await settingsOf()) !== before ? true : undefined))

  test('its objects are created, its Secret once, and at rest nothing is written', async () => {
    await applyGateway({ webInterface: {} })
    await stands()
    assert.match(await generated(), /^[0-9a-f]{64}$/)
    await scene.quiet(QUIET_MS)
    const before = scene.writes().length
    const rolledOut = await scene.get('deployment', 'main-web')
    assert.equal(rolledOut.metadata.generation, 1, 'the template waits for the Secret, so it is written once')
    await operator.close()
    operator = await scene.start()
    await scene.quiet(QUIET_MS)
    assert.deepEqual(scene.writes().slice(before), [])
  })

  test('its account may read the resources of its namespace alone, no Secret, and write nothing', async () => {
    const kubeconfig = await scene.server.createServiceAccountKubeconfig('llm', 'main-web')
    const act = async (...args: readonly string[]) => {
      const { code, stderr } = await scene.server.kubectl(['--kubeconfig', kubeconfig, ...args])
      return code === 0 ? 'done' : (/\((Forbidden)\)|is forbidden/.exec(stderr)?.[0] ?? stderr)
    }
    const here = ['-n', 'llm']
    const may: readonly (readonly string[])[] = [
      ...['llmgateways', 'routers', 'processors', 'pods', 'deployments', 'events', 'events.events.k8s.io'].map(
        (kind) => ['get', kind],
      ),
      ['get', 'llmgateway', 'main'],
      ['get', 'configmap', 'main-config'],
    ]
    for (const args of may) assert.equal(await act(...here, ...args), 'done', args.join(' '))
    const patch = ['--type=merge', '-p', '{"metadata":{"labels":{"a":"b"}}}']
    const mayNot: readonly (readonly string[])[] = [
      ['get', 'secret', 'main-web'],
      ['get', 'secret', 'main-bus-token'],
      ['get', 'secrets'],
      ['get', 'configmaps'],
      ['get', 'rolebindings'],
      ['patch', 'llmgateway', 'main', ...patch],
      ['patch', 'llmgateway', 'main', '--subresource=status', ...patch],
      ['patch', 'configmap', 'main-config', ...patch],
      ['patch', 'deployment', 'main-web', ...patch],
      ['delete', 'llmgateway', 'main', '--wait=false'],
      ['create', 'configmap', 'a'],
      ['create', 'rolebinding', 'a', '--clusterrole=cluster-admin', `--user=${ACCOUNT}`],
      ['create', 'token', 'main-web'],
      ['get', '--raw', '/api/v1/namespaces/llm/pods/main-1/proxy/status'],
    ]
    for (const args of mayNot) assert.match(await act(...here, ...args), /orbidden/, args.join(' '))
    for (const kind of ['llmgateways', 'routers', 'pods', 'namespaces', 'nodes'])
      assert.match(await act('-n', 'team-a', 'get', kind), /orbidden/, kind)
    const listed = (await scene.server.kubectl(['auth', 'can-i', '--list', ...here, `--as=${ACCOUNT}`])).stdout
    // Every account may ask for its own rights.
    const written = listed
      .split('\n')
      .filter((line) => /\[[^\]]*(create|update|patch|delete|\*)[^\]]*\]\s*$/.test(line))
    assert.ok(written.length > 0)
    for (const line of written) assert.match(line, /^selfsubject/)
  })

  test('the role for editing lets it write the three kinds once people bind it, and nothing else', async () => {
    const can = async (...args: readonly string[]) =>
      (await scene.server.kubectl(['auth', 'can-i', ...args, '-n', 'llm', `--as=${ACCOUNT}`])).stdout.trim()
    const edits = [
      ['create', 'routers.llmgateway.io'],
      ['delete', 'processors.llmgateway.io'],
      ['patch', 'llmgateways.llmgateway.io'],
    ] as const
    for (const edit of edits) assert.equal(await can(...edit), 'no')
    const role = [`--clusterrole=llm-gateway-web-edit.${SYSTEM}`, '--serviceaccount=llm:main-web']
    await scene.inNamespace('create', 'rolebinding', 'people-let-it', ...role)
    for (const edit of edits)
      await scene.until(`it may ${edit.join(' ')}`, async () => ((await can(...edit)) === 'yes' ? true : undefined))
    for (const never of [
      ['create', 'llmgateways.llmgateway.io'],
      ['delete', 'llmgateways.llmgateway.io'],
      ['patch', 'llmgateways.llmgateway.io', '--subresource=status'],
      ['get', 'secrets'],
      ['create', 'pods'],
    ])
      assert.equal(await can(...never), 'no', never.join(' '))
    const settings = await settingsOf()
    await applyGateway({ webInterface: { mode: 'Edit' } })
    await changesFrom(settings)
    assert.equal((await fileOf()).kubernetes.mode, 'Edit')
  })

  test('namespaces with attached Routers stand in its file, and restart no pod', async () => {
    const settings = await settingsOf()
    await routerIn('team-a')
    await routerIn('team-b')
    await scene.until('the namespace', async () =>
      JSON.stringify((await fileOf()).kubernetes.namespaces) === '["team-a"]' ? true : undefined,
    )
    await scene.kubectl(['label', 'namespace', 'team-b', 'llm=yes'])
    await scene.until('the other namespace, admitted now', async () =>
      JSON.stringify((await fileOf()).kubernetes.namespaces) === '["team-a","team-b"]' ? true : undefined,
    )
    await scene.kubectl(['-n', 'team-a', 'delete', 'router', 'a'])
    await scene.until('without the first', async () =>
      JSON.stringify((await fileOf()).kubernetes.namespaces) === '["team-b"]' ? true : undefined,
    )
    assert.equal(await settingsOf(), settings)
  })

  test('a changed Secret restarts its pod; a deleted Secret is generated again', async () => {
    const before = await settingsOf()
    const secret = await generated()
    await scene.inNamespace('patch', 'secret', 'main-web', '--type=merge', '-p', '{"stringData":{"GUI_SECRET":"mine"}}')
    await changesFrom(before)
    assert.equal(await generated(), 'mine', 'a secret that people wrote stays')
    const then = await settingsOf()
    await scene.inNamespace('delete', 'secret', 'main-web')
    await changesFrom(then)
    assert.match(await generated(), /^[0-9a-f]{64}$/)
    assert.notEqual(await generated(), secret)
  })

  test('the pod waits for a Secret that people name, and the generated Secret is deleted', async () => {
    const before = await settingsOf()
    await applyGateway({ webInterface: { secretRef: { name: 'gui', key: 'word' } } })
    await scene.until('what is missing', async () =>
      (await condition('ResolvedRefs'))?.reason === 'SecretNotFound' ? true : undefined,
    )
    assert.equal(await settingsOf(), before, 'what runs stays')
    await applySecret('gui', { word: 'first' })
    await changesFrom(before)
    await scene.until('all is there', async () =>
      (await condition('ResolvedRefs'))?.status === 'True' ? true : undefined,
    )
    await scene.untilTrue('no generated one', async () => !(await scene.isThere('secret/main-web')))
    const first = await settingsOf()
    await applySecret('gui', { word: 'second' })
    await changesFrom(first)
  })

  test('a RoleBinding with another role is replaced', async () => {
    const { metadata, subjects }: Json = await scene.get('rolebinding', 'main-web')
    const { name, namespace, labels, ownerReferences } = metadata
    await scene.inNamespace('delete', 'rolebinding', 'main-web', '--wait')
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    // The operator may be first: it makes the binding again at once.
    await scene
      .kubectl(['create', '-f', '-'], {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name, namespace, labels, ownerReferences },
        roleRef,
        subjects,
      })
      .catch((error) => assert.match(String(error), /AlreadyExists/))
    await scene.until('the role to read by', async () => {
      const found = await scene.inNamespace('get', 'rolebinding', 'main-web', '--ignore-not-found', '-o', 'json')
      return found !== '' && JSON.parse(found).roleRef.name === `llm-gateway-web-read.${SYSTEM}` ? true : undefined
    })
  })

  test('a foreign object with its name stays as it is and is named, and the gateway serves on', async () => {
    await applySecret('other-web', { GUI_SECRET: 'of somebody else' })
    await applyGateway({ webInterface: {} }, 'other')
    await scene.untilTrue('deployment/other', () => scene.isThere('deployment/other'))
    await scene.until('Accepted', async () =>
      (await condition('Accepted', 'other'))?.status === 'True' ? true : undefined,
    )
    await scene.quiet(QUIET_MS)
    assert.equal(await scene.isThere('deployment/other-web'), false, 'the text of another owner admits nobody')
    assert.equal((await condition('Accepted', 'other')).status, 'True')
    const { stringData, data }: Json = await scene.get('secret', 'other-web')
    assert.deepEqual(
      [stringData, data],
      [undefined, { GUI_SECRET: Buffer.from('of somebody else').toString('base64') }],
    )
    await scene.inNamespace('delete', 'secret', 'other-web')
    await stands('other-web')
  })

  test("the web interface of a paused gateway doesn't change, with or without the field", async () => {
    await scene.inNamespace('annotate', 'llmgateway', 'main', 'llmgateway.io/paused=true')
    await scene.until('Paused', async () => ((await condition('Accepted'))?.reason === 'Paused' ? true : undefined))
    await scene.inNamespace('patch', 'llmgateway', 'main', '--type=merge', '-p', '{"spec":{"webInterface":null}}')
    await scene.quiet(QUIET_MS)
    for (const kind of OBJECTS.filter((object) => object !== 'secret'))
      assert.equal(await scene.isThere(`${kind}/main-web`), true, kind)
    await scene.inNamespace('annotate', 'llmgateway', 'main', 'llmgateway.io/paused-')
  })

  test('without the field the objects of the web interface are deleted; bindings and resources of people stay', async () => {
    await scene.untilTrue('no object of the web interface', async () => {
      const kinds = OBJECTS.join()
      const found = await scene.inNamespace('get', kinds, '-l', 'app.kubernetes.io/component=web', '-o', 'name')
      return !found.includes('/main-web\n')
    })
    assert.equal(await scene.isThere('rolebinding/people-let-it'), true)
    assert.equal(await scene.isThere('secret/gui'), true)
    assert.equal(await scene.isThere('deployment/main'), true)
  })
})
