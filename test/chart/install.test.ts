import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readAuditLog } from '../fake/audit-log.ts'
import { type Program, waitForLine } from '../fake/program.ts'
import { until } from '../operator/wait.ts'
import { CHART, type ChartScene, startChartScene, whyNoChartScene } from './chart-scene.ts'

const SYSTEM = 'platform-llm'
const RELEASE = 'gw'
const OPERATOR = 'gw-llm-gateway-operator'
const ACCOUNT = `system:serviceaccount:${SYSTEM}:${OPERATOR}`
const API = 'llmgateway.io/v1alpha1'
const TEAM = 'team-a'

const router = {
  apiVersion: API,
  kind: 'Router',
  metadata: { name: 'chat', namespace: TEAM },
  spec: {
    gatewayRef: { name: 'main', namespace: 'llm' },
    path: '/team-a/chat/',
    outbound: { url: 'https://res.example/' },
  },
}

describe(`helm installs the operator into ${SYSTEM} as release ${RELEASE}`, {
  skip: whyNoChartScene(process.env),
}, () => {
  let scene: ChartScene
  let operator: Program
  before(async () => {
    scene = await startChartScene()
    // The stand-in makes the operator's pods ready, for which `--wait` waits.
    await scene.helm(['install', RELEASE, CHART, '-n', SYSTEM, '--create-namespace', '--wait', '--timeout', '90s'])
    operator = await scene.startOperator(SYSTEM, OPERATOR)
  })
  after(() => scene?.close())

  const statusOf = async (kind: string, namespace: string, name: string, type: string) => {
    const text = JSON.stringify((await scene.admin.get({ kind, namespace, name }))?.status ?? {})
    const conditions: readonly { readonly type: string; readonly status: string }[] = JSON.parse(text).conditions ?? []
    return conditions.find((condition) => condition.type === type)?.status
  }

  test('the CRDs exist and the operator leads by the lease of its own namespace', async () => {
    await waitForLine(operator, /"leading"|leader|leads/i)
    const leases = await scene.admin.list('Lease', SYSTEM)
    assert.deepEqual(
      leases.map(({ metadata }) => metadata.name),
      ['llm-gateway-operator'],
    )
  })

  test('the operator programs a Router with the rights of its service account, and none of its requests is forbidden', async () => {
    for (const name of ['llm', TEAM]) await scene.kubectl(['create', 'namespace', name])
    const allowedRouters = { namespaces: { from: 'All' } }
    const gateway = { apiVersion: API, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' } }
    await scene.admin.apply({ ...gateway, spec: { allowedRouters } }, router)
    await until('Programmed', async () =>
      (await statusOf('Router', TEAM, 'chat', 'Programmed')) === 'True' ? true : undefined,
    ).catch((cause) => {
      throw new Error(operator.lines.entries.slice(-10).join('\n'), { cause })
    })
    const calls = readAuditLog(scene.server.auditLog).filter((line) => line.includes(`"username":"${ACCOUNT}"`))
    assert.ok(calls.length > 20)
    assert.deepEqual(
      calls.filter((line) => line.includes('"code":403')),
      [],
    )
  })

  test('the operator’s NetworkPolicies let its own pods reach the admin port', async () => {
    const [policy] = (await scene.admin.list('NetworkPolicy', 'llm')).filter(({ metadata }) => metadata.name === 'main')
    const text = JSON.stringify(policy?.spec)
    assert.match(text, new RegExp(`"kubernetes.io/metadata.name":"${SYSTEM}"`))
    const [, label = ''] = /"podSelector":\{"matchLabels":(\{[^}]*operator[^}]*\})/.exec(text) ?? []
    const [pod] = await scene.admin.list('Pod', SYSTEM)
    const labels = pod?.metadata.labels ?? {}
    for (const [key, value] of Object.entries(JSON.parse(label))) assert.equal(labels[key], value)
  })

  test('the admission policies limit the operator’s account', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'theirs', namespace: TEAM } }
    const account = `--as=${ACCOUNT}`
    const { stderr } = await scene.server.kubectl(['create', '-f', '-', account], JSON.stringify(secret))
    assert.match(stderr, /the operator writes only objects that carry its label/)
    await scene.kubectl(['create', '-f', '-'], secret)
    const deleted = await scene.server.kubectl(['-n', TEAM, 'delete', 'secret', 'theirs', account])
    assert.match(deleted.stderr, /the operator writes only objects that carry its label/)
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a', namespace: SYSTEM } }
    const written = await scene.server.kubectl(['create', '-f', '-', account], JSON.stringify(lease))
    assert.match(written.stderr, /the operator writes no lease but its own/)
  })

  test('after uninstall the CRDs, the resources of people and the running gateways stay', async () => {
    await scene.helm(['uninstall', RELEASE, '-n', SYSTEM, '--wait', '--timeout', '90s'])
    await operator.stop()
    const kinds = 'customresourcedefinitions,validatingadmissionpolicies,clusterroles,clusterrolebindings'
    const left = (await scene.kubectl(['get', kinds, '-o', 'name'])).split('\n').filter((line) => /llm|gw/.test(line))
    const crds = ['llmgateways', 'processors', 'routers'].map(
      (kind) => `customresourcedefinition.apiextensions.k8s.io/${kind}.llmgateway.io`,
    )
    assert.deepEqual(left.toSorted(), crds)
    const inside = 'deployments,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,secrets,leases'
    const own = await scene.kubectl(['-n', SYSTEM, 'get', inside, '-o', 'name'])
    assert.deepEqual(own.trim().split('\n'), ['serviceaccount/default'])
    const others = await scene.kubectl(['-n', 'llm', 'get', 'llmgateways,deployments', '-o', 'name'])
    assert.match(others, /llmgateway.llmgateway.io\/main\ndeployment.apps\/main/)
    assert.match(await scene.kubectl(['-n', TEAM, 'get', 'routers', '-o', 'name']), /chat/)
  })

  test('a Lease made by an operator without helm does not block an install, and stays', async () => {
    const metadata = { name: 'llm-gateway-operator', namespace: SYSTEM }
    const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 15 }
    await scene.kubectl(['create', '-f', '-'], {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec,
    })
    const argv = [RELEASE, CHART, '-n', SYSTEM, '--timeout', '90s']
    await scene.helm(['install', ...argv])
    await scene.helm(['upgrade', ...argv])
    await scene.helm(['uninstall', RELEASE, '-n', SYSTEM, '--wait', '--timeout', '90s'])
    assert.match(await scene.kubectl(['-n', SYSTEM, 'get', 'leases', '-o', 'name']), /llm-gateway-operator/)
  })
})
