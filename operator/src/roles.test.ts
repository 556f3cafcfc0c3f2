import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { readAuditLog } from '@llm-gateway/test/fake/audit-log'
import { parseAllDocuments } from 'yaml'
import type { Operator } from './operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

const API = 'llmgateway.io/v1alpha1'
const DEPLOY = join(import.meta.dirname, '../deploy')
const skip = whyNoApiServer(process.env)

type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** The rights of a role in a file, `patch apps/deployments`. */
function rightsIn(file: string, kind: string): readonly string[] {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8')).map((document) => document.toJS())
  const rules: readonly Rule[] = documents.find((document) => document.kind === kind).rules
  const rights = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`))),
  )
  return rights.toSorted()
}

test('kubernetes 2.5: in a namespace the operator has the rights that it has everywhere, and may read its labels', () => {
  const everywhere = rightsIn('cluster-role.yaml', 'ClusterRole')
  const expected = [...everywhere.filter((right) => !right.endsWith(' /namespaces')), 'get /namespaces'].toSorted()
  assert.deepEqual(rightsIn('watch-namespaces/role.yaml', 'Role'), expected)
})

test('kubernetes 2.5: no right is given by a star, and none over roles', () => {
  for (const [file, kind] of [
    ['cluster-role.yaml', 'ClusterRole'],
    ['rbac.yaml', 'Role'],
  ] as const) {
    assert.doesNotMatch(rightsIn(file, kind).join('\n'), /\*|rbac\.|impersonate|escalate|bind\b/)
  }
})

describe('an operator that may look at one namespace', { skip }, () => {
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

  test('kubernetes 2.5: works there with a Role, and is forbidden nothing that it asks for', async () => {
    const spec = { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://res.example/' } }
    await scene.apply({ apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' }, spec: {} })
    await scene.apply({ apiVersion: API, kind: 'Router', metadata: { name: 'a', namespace: 'llm' }, spec })
    await scene.until('its Router is accepted', async () => {
      const { status } = await scene.get('router', 'a')
      return status?.conditions?.[0]?.status === 'True' ? true : undefined
    })
    await scene.until('its Deployment', async () => {
      const found = await scene.kubectl(['-n', 'llm', 'get', 'deployment', 'main', '--ignore-not-found', '-o', 'name'])
      return found === '' ? undefined : true
    })
    const calls = readAuditLog(scene.server.auditLog)
    const forbidden = calls.filter((line) => line.includes('llm-gateway-operator') && line.includes('"code":403'))
    assert.deepEqual(forbidden, [])
  })
})

describe('an operator that is told to look at namespaces which it may not see', { skip }, () => {
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
  const written = (namespace: string): Promise<true> =>
    scene.until(`the Router of ${namespace} in a configuration`, async () =>
      (await configOf(namespace)).includes('res.example') ? true : undefined,
    )

  test('kubernetes 5: works in those it may see, says the others once, and takes up one that it may see later', {
    timeout: 120_000,
  }, async () => {
    await stand('llm')
    await stand('team-b')
    operator = await scene.start()
    assert.equal(operator.ready, false)
    await written('llm')
    assert.equal(operator.ready, true)
    assert.doesNotMatch(await configOf('team-b'), /res\.example/)
    const said = scene.lines
      .filter((line) => line.includes('counts as empty'))
      .map((line) => JSON.parse(line).namespace)
    assert.deepEqual(said.toSorted(), ['missing-ns', 'team-b'])
    const forbidden = async () => (await operator.metrics.render()).match(/^llm_gateway_operator_namespace_.*$/gm)
    const metric = 'llm_gateway_operator_namespace_forbidden'
    const others = [`${metric}{namespace="llm"} 0`, `${metric}{namespace="missing-ns"} 1`]
    assert.deepEqual((await forbidden())?.toSorted(), [...others, `${metric}{namespace="team-b"} 1`])

    await scene.kubectl(['-n', 'team-b', 'apply', '-f', join(DEPLOY, 'watch-namespaces')])
    await written('team-b')
    assert.deepEqual((await forbidden())?.toSorted(), [...others, `${metric}{namespace="team-b"} 0`])
  })
})

describe('what people may do with the kinds', { skip }, () => {
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
    test(`kubernetes 2.5: ${users.join(', ') || 'nobody'} may ${what}`, async () => {
      const allowed = async () => {
        const answers = await Promise.all(['view', 'edit', 'admin'].map((user) => may(user, verb, resource)))
        return ['view', 'edit', 'admin'].filter((_, index) => answers[index])
      }
      // The roles are put together by a controller.
      await scene.until(`${users} may ${what}`, async () =>
        JSON.stringify(await allowed()) === JSON.stringify(users) ? true : undefined,
      )
    })
  }
})
