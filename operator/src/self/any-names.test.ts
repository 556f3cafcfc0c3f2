import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { loadKubeAccess } from '@llm-gateway/kube'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type Operator, startOperator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from '../scenes/operator-under-test.ts'
import { ownAccount } from './own-account.ts'

// Rules: docs/reference/kubernetes.md#trust

const [SHIPPED, SYSTEM] = ['llm-gateway-operator', 'llm-gateway-system'] as const
/** Names as a chart makes them: namespace, release, and labels of its own. */
const [NAMESPACE, RELEASE] = ['platform-llm', 'our-release'] as const
const USER = `system:serviceaccount:${NAMESPACE}:${RELEASE}`
const LABELS = { 'app.kubernetes.io/name': 'llm-gateway', 'app.kubernetes.io/instance': RELEASE }
const POLICIES = ['pods', 'objects', 'workloads', 'reports']

type Json = ReturnType<typeof JSON.parse>

describe('installed in any namespace under any name', { skip: whyNoApiServer(process.env) }, () => {
  let scene: OperatorScene
  let operator: Operator
  let kubeconfig = ''
  before(async () => {
    scene = await startOperatorScene()
    await scene.kubectl(['create', 'namespace', NAMESPACE])
    await scene.kubectl(['-n', NAMESPACE, 'create', 'serviceaccount', RELEASE])
    const account = `--serviceaccount=${NAMESPACE}:${RELEASE}`
    await scene.kubectl(['create', 'clusterrolebinding', RELEASE, `--clusterrole=${SHIPPED}.${SYSTEM}`, account])
    const { rules, apiVersion, kind } = await read('role', SHIPPED, ['-n', SYSTEM])
    const own = JSON.parse(JSON.stringify(rules).replaceAll(`["${SHIPPED}"]`, `["${RELEASE}"]`))
    await scene.apply({ apiVersion, kind, metadata: { name: RELEASE, namespace: NAMESPACE }, rules: own })
    await scene.kubectl(['-n', NAMESPACE, 'create', 'rolebinding', RELEASE, `--role=${RELEASE}`, account])
    kubeconfig = await scene.server.createServiceAccountKubeconfig(NAMESPACE, RELEASE)
    for (const right of [
      ['list', 'routers.llmgateway.io', '-n', 'llm'],
      ['create', 'leases', '-n', NAMESPACE],
    ])
      await scene.untilTrue(`the right to ${right.join(' ')}`, async () => {
        return (await scene.server.kubectl(['auth', 'can-i', ...right, `--as=${USER}`])).code === 0
      })
    operator = startOperator({
      access: await loadKubeAccess(kubeconfig),
      podAccess: 'direct',
      gatewayClass: 'default',
      defaultImage: 'llm-gateway:test',
      operatorNamespace: NAMESPACE,
      operatorLabels: LABELS,
      logger: createLogger({ service: 'operator', write: (line) => void scene.lines.push(line) }),
      candidacy: { identity: 'pod-0', lease: { namespace: NAMESPACE, name: RELEASE }, lost: () => undefined },
      policyTimings: { firstMs: 500, againMs: 1_000 },
    })
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const read = async (kind: string, name: string, more: readonly string[] = []): Promise<Json> =>
    JSON.parse(await scene.kubectl([...more, 'get', kind, name, '-o', 'json']))
  const policiesAre = (state: string): Promise<boolean> =>
    scene.untilTrue(`the policies ${state}`, async () =>
      (await operator.metrics.render()).includes(`llm_gateway_operator_admission_policies{state="${state}"} 1`),
    )
  const asOperator = (args: readonly string[], input = ''): ReturnType<OperatorScene['server']['kubectl']> =>
    scene.server.kubectl([...args, `--as=${USER}`], input)

  test('the operator learns its own account from the API server', async () => {
    assert.deepEqual(await ownAccount(await loadKubeAccess(kubeconfig)), { user: USER, namespace: NAMESPACE })
    const admin = await ownAccount(await loadKubeAccess(scene.server.kubeconfig))
    assert.equal(admin?.namespace, undefined)
    const away = { ...(await loadKubeAccess(kubeconfig)), server: 'https://127.0.0.1:1' }
    assert.equal(await ownAccount(away), undefined)
  })

  test('the operator logs once that policies which name another account do not limit it', async () => {
    await policiesAre('missing')
    const { code } = await asOperator(['-n', 'llm', 'create', 'configmap', 'unlabelled', '--dry-run=server'])
    assert.equal(code, 0)
    const logged = scene.lines.filter((line) => line.includes('no admission policy limits this account'))
    assert.equal(logged.length, 1)
    assert.match(logged[0] ?? '', /"level":"ERROR"/)
  })

  test('policies with the names of this installation limit the operator, and the operator notices', async () => {
    for (const name of POLICIES) {
      const { apiVersion, kind, spec } = await read('validatingadmissionpolicy', `${SHIPPED}-${name}.${SYSTEM}`)
      const named = {
        ...spec,
        matchConditions: [{ name: 'operator', expression: `request.userInfo.username == '${USER}'` }],
        validations: spec.validations.map((one: Json) => ({
          ...one,
          expression: one.expression.replace(
            "request.name.matches('^llm-gateway-operator(-[a-z0-9-]+)?$')",
            `request.name == '${RELEASE}'`,
          ),
        })),
      }
      const metadata = { name: `${NAMESPACE}-${RELEASE}-${name}` }
      await scene.apply({ apiVersion, kind, metadata, spec: named })
      const binding = { policyName: metadata.name, validationActions: ['Deny'] }
      await scene.apply({ apiVersion, kind: `${kind}Binding`, metadata, spec: binding })
    }
    await policiesAre('hold')
    for (const [args, input] of [
      [['-n', 'llm', 'create', 'configmap', 'unlabelled', '--dry-run=server'], ''],
      [['-n', NAMESPACE, 'create', 'secret', 'generic', 'unlabelled', '--dry-run=server'], ''],
      [
        ['create', '--dry-run=server', '-f', '-'],
        JSON.stringify({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: SHIPPED, namespace: NAMESPACE },
          spec: {},
        }),
      ],
    ] as const) {
      // Each policy takes effect a moment after it was written.
      await scene.untilTrue(`refused: ${args.join(' ')}`, async () => {
        const { code, stderr } = await asOperator(args, input)
        return code === 1 && stderr.includes(`ValidatingAdmissionPolicy '${NAMESPACE}-${RELEASE}`)
      })
    }
  })

  test('the operator does all of its work within these policies, under its own Lease', async () => {
    const [api, metadata] = ['llmgateway.io/v1alpha1', { name: 'main', namespace: 'llm' }]
    await scene.apply({ apiVersion: api, kind: 'LLMGateway', metadata, spec: { record: { sinks: { file: {} } } } })
    await scene.apply({
      apiVersion: api,
      kind: 'Processor',
      metadata: { name: 'count', namespace: 'llm' },
      spec: { gatewayRef: { name: 'main' }, type: 'CharacterCount', replicas: 2 },
    })
    await scene.untilTrue('the last object', () => scene.isThere('deployment/count-processor'))
    await scene.untilTrue('a status', async () => {
      const { status } = await scene.get('llmgateway', 'main')
      return status.conditions?.some(({ type, status }: Json) => type === 'Accepted' && status === 'True') === true
    })
    const { status } = await scene.get('llmgateway', 'main')
    assert.deepEqual(status.operator, { namespace: NAMESPACE, name: RELEASE })
    assert.doesNotMatch(JSON.stringify(status), /ApplyFailed/)
    const lease = await read('lease', RELEASE, ['-n', NAMESPACE])
    assert.equal(lease.spec.holderIdentity, 'pod-0')
    assert.ok(!scene.lines.some((line) => line.includes('"code":403') || line.includes('Forbidden')))
  })

  test("NetworkPolicies of gateways let in the pods that carry the operator's labels in its namespace", async () => {
    const { spec } = await scene.get('networkpolicy', 'main')
    const [operatorPods] = spec.ingress.flatMap(({ from = [] }: Json) => from)
    assert.deepEqual(operatorPods, {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
      podSelector: { matchLabels: LABELS },
    })
  })
})
