import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { readAuditLog } from '@llm-gateway/test/fake/audit-log'
import { parseAllDocuments } from 'yaml'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#trust

const API = 'llmgateway.io/v1alpha1'
const DEPLOY = join(import.meta.dirname, '../../deploy')
const skip = whyNoApiServer(process.env)

type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

const OPERATOR = /^llm-gateway-operator(\.|$)/

/** Returns the rights of a role in a file: `patch apps/deployments`, with its resource name if there is one. */
function rightsIn(file: string, kind: string, role: RegExp = OPERATOR): readonly string[] {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8')).map((document) => document.toJS())
  const found = documents.find((document) => document.kind === kind && role.test(document.metadata.name))
  const rules: readonly Rule[] = found.rules
  const rights = rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [''] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => resourceNames.map((name) => `${verb} ${group}/${resource} ${name}`.trim())),
      ),
    ),
  )
  return rights.toSorted()
}

const READ_ROLE = 'llm-gateway-web-read.llm-gateway-system'

test('in a namespace the operator has the rights that it has everywhere, and may read its labels', () => {
  const everywhere = rightsIn('cluster-role.yaml', 'ClusterRole').map((right) => right.replace('clusterroles', 'roles'))
  const expected = [...everywhere.filter((right) => !right.endsWith(' /namespaces')), 'get /namespaces'].toSorted()
  assert.deepEqual(rightsIn('watch-namespaces/role.yaml', 'Role'), expected)
})

test('no rule uses a star, and the operator may bind only the role of web interfaces', () => {
  for (const [file, kind, resource] of [
    ['cluster-role.yaml', 'ClusterRole', 'clusterroles'],
    ['watch-namespaces/role.yaml', 'Role', 'roles'],
    ['rbac.yaml', 'Role', undefined],
  ] as const) {
    const group = 'rbac.authorization.k8s.io'
    const bindings = ['create', 'delete', 'get', 'list', 'patch', 'watch'].map(
      (verb) => `${verb} ${group}/rolebindings`,
    )
    const expected = resource === undefined ? [] : [`bind ${group}/${resource} ${READ_ROLE}`, ...bindings]
    const rights = rightsIn(file, kind)
    assert.deepEqual(
      rights.filter((right) => / rbac\./.test(right)),
      expected,
    )
    assert.doesNotMatch(rights.join('\n'), /\*|impersonate|escalate/)
  }
})

test('a web interface reads no Secret and nothing inside a pod; the role that people bind to it writes three kinds', () => {
  for (const [file, kind] of [
    ['cluster-role.yaml', 'ClusterRole'],
    ['watch-namespaces/role.yaml', 'Role'],
  ] as const) {
    const read = rightsIn(file, kind, /web-read/)
    assert.ok(read.length > 15)
    assert.doesNotMatch(read.join('\n'), /secrets|pods\/|\*|^(?!get|list|watch)/m)
    assert.deepEqual(
      read.filter((right) => right.endsWith('/configmaps')),
      ['get /configmaps'],
    )
    assert.deepEqual(rightsIn(file, kind, /web-edit/), [
      ...['create', 'delete'].flatMap((verb) =>
        ['processors', 'routers'].map((kind) => `${verb} llmgateway.io/${kind}`),
      ),
      ...['llmgateways', 'processors', 'routers'].map((kind) => `patch llmgateway.io/${kind}`),
    ])
  }
})

describe('an operator that may read one namespace only', { skip }, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene({ watchNamespaces: ['llm'] })
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  test('works in that namespace with a Role, and none of its requests is forbidden', async () => {
    const spec = { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://res.example/' } }
    const withWeb = { webInterface: {} }
    const metadata = { name: 'main', namespace: 'llm' }
    await scene.apply({ apiVersion: API, kind: 'LLMGateway', metadata, spec: withWeb })
    await scene.apply({ apiVersion: API, kind: 'Router', metadata: { name: 'a', namespace: 'llm' }, spec })
    await scene.until('the Router is accepted', async () => {
      const { status } = await scene.get('router', 'a')
      return status?.conditions?.[0]?.status === 'True' ? true : undefined
    })
    await scene.until('the Deployment', async () => {
      const found = await scene.kubectl(['-n', 'llm', 'get', 'deployment', 'main', '--ignore-not-found', '-o', 'name'])
      return found === '' ? undefined : true
    })
    await scene.untilTrue('the web interface', () => scene.isThere('deployment/main-web'))
    const { roleRef } = await scene.get('rolebinding', 'main-web')
    assert.deepEqual([roleRef.kind, roleRef.name], ['Role', READ_ROLE])
    const calls = readAuditLog(scene.server.auditLog)
    const forbidden = calls.filter((line) => line.includes('llm-gateway-operator') && line.includes('"code":403'))
    assert.deepEqual(forbidden, [])
  })
})

describe('an operator with namespaces in WATCH_NAMESPACES that it may not read', { skip }, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene({
      watchNamespaces: ['llm', 'team-b', 'missing-ns'],
      forbidden: ['team-b', 'missing-ns'],
      watchTimings: { forbiddenMs: 1_000, mostBackoffMs: 1_000 },
    })
    await scene.kubectl(['create', 'namespace', 'team-b'])
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const stand = async (namespace: string): Promise<void> => {
    const spec = { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://res.example/' } }
    await scene.apply({ apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace }, spec: {} })
    await scene.apply({ apiVersion: API, kind: 'Router', metadata: { name: 'a', namespace }, spec })
  }
  const configOf = (namespace: string): Promise<string> => {
    const argv = ['-n', namespace, 'get', 'configmap', '-l', 'app.kubernetes.io/managed-by=llm-gateway-operator']
    return scene.kubectl([...argv, '-o', 'json'])
  }
  const untilWritten = (namespace: string): Promise<true> =>
    scene.until(`the Router of ${namespace} in a configuration`, async () =>
      (await configOf(namespace)).includes('res.example') ? true : undefined,
    )

  test('works in the namespaces that it may read, logs the others once, and takes up a namespace that it may read later', {
    timeout: 120_000,
  }, async () => {
    await stand('llm')
    await stand('team-b')
    operator = await scene.start()
    assert.equal(operator.ready, false)
    await untilWritten('llm')
    assert.equal(operator.ready, true)
    assert.doesNotMatch(await configOf('team-b'), /res\.example/)
    const logged = scene.lines
      .filter((line) => line.includes('counts as empty'))
      .map((line) => JSON.parse(line).namespace)
    assert.deepEqual(logged.toSorted(), ['missing-ns', 'team-b'])
    const forbidden = async () => (await operator.metrics.render()).match(/^llm_gateway_operator_namespace_.*$/gm)
    const metric = 'llm_gateway_operator_namespace_forbidden'
    const others = [`${metric}{namespace="llm"} 0`, `${metric}{namespace="missing-ns"} 1`]
    assert.deepEqual((await forbidden())?.toSorted(), [...others, `${metric}{namespace="team-b"} 1`])

    await scene.kubectl(['-n', 'team-b', 'apply', '-f', join(DEPLOY, 'watch-namespaces')])
    await untilWritten('team-b')
    assert.deepEqual((await forbidden())?.toSorted(), [...others, `${metric}{namespace="team-b"} 0`])
  })
})

describe('the rights of people on the three kinds', { skip }, () => {
  let scene: OperatorScene
  before(async () => {
    scene = await startOperatorScene({ controllers: true })
    for (const role of ['view', 'edit', 'admin']) {
      await scene.kubectl(['-n', 'llm', 'create', 'rolebinding', role, `--clusterrole=${role}`, `--user=${role}`])
    }
  })
  after(async () => scene?.close())

  const may = async (user: string, verb: string, resource: string): Promise<boolean> => {
    const [name = '', subresource = ''] = resource.split('/')
    const what = [`${name}.llmgateway.io`, `--subresource=${subresource}`]
    const argv = ['auth', 'can-i', verb, ...what, '-n', 'llm', `--as=${user}`]
    return (await scene.server.kubectl(argv)).stdout.trim() === 'yes'
  }
  const table: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['read Routers', 'get', 'routers', ['view', 'edit', 'admin']],
    ['read gateways', 'get', 'llmgateways', ['view', 'edit', 'admin']],
    ['read Processors', 'watch', 'processors', ['view', 'edit', 'admin']],
    ['write Routers', 'create', 'routers', ['edit', 'admin']],
    ['delete Routers', 'delete', 'routers', ['edit', 'admin']],
    ['write gateways', 'create', 'llmgateways', ['admin']],
    ['write Processors', 'patch', 'processors', ['admin']],
    ['scale gateways', 'update', 'llmgateways/scale', ['admin']],
    ['write the status of a Router', 'patch', 'routers/status', []],
    ['write the status of a gateway', 'update', 'llmgateways/status', []],
  ]
  for (const [what, verb, resource, users] of table) {
    test(`${users.join(', ') || 'nobody'} may ${what}`, async () => {
      const usersWhoMay = async () => {
        const answers = await Promise.all(['view', 'edit', 'admin'].map((user) => may(user, verb, resource)))
        return ['view', 'edit', 'admin'].filter((_, index) => answers[index])
      }
      // A controller aggregates the roles.
      await scene.until(`${users} may ${what}`, async () =>
        JSON.stringify(await usersWhoMay()) === JSON.stringify(users) ? true : undefined,
      )
    })
  }
})
