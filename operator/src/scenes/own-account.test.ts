import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#trust

/** Any namespace, since the install names none. */
const SYSTEM = 'any-place'
const ACCOUNT = `system:serviceaccount:${SYSTEM}:llm-gateway-operator`
const LABEL = { 'app.kubernetes.io/managed-by': 'llm-gateway-operator' }
const ONLY_LABELLED = /the operator writes only objects that carry its label/

const RBAC = 'rbac.authorization.k8s.io'

type Json = ReturnType<typeof JSON.parse>

const POD = { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] }
function workload(pod: object = {}): object {
  const labels = { app: 'x' }
  const template = { metadata: { labels }, spec: { ...POD, ...pod } }
  return { spec: { selector: { matchLabels: labels }, template } }
}
const KINDS: readonly (readonly [resource: string, apiVersion: string, kind: string, content: object, edit: object])[] =
  [
    ['configmap', 'v1', 'ConfigMap', { data: { a: 'b' } }, { data: { a: 'c' } }],
    ['secret', 'v1', 'Secret', { stringData: { a: 'b' } }, { data: { a: 'eA==' } }],
    ['service', 'v1', 'Service', { spec: { ports: [{ port: 53 }] } }, { spec: { selector: { a: 'b' } } }],
    ['serviceaccount', 'v1', 'ServiceAccount', {}, { automountServiceAccountToken: false }],
    ['deployment', 'apps/v1', 'Deployment', workload(), { spec: { replicas: 0 } }],
    ['statefulset', 'apps/v1', 'StatefulSet', workload(), { spec: { replicas: 0 } }],
    [
      'networkpolicy',
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { spec: { podSelector: {} } },
      { spec: { ingress: [{}] } },
    ],
    [
      'poddisruptionbudget',
      'policy/v1',
      'PodDisruptionBudget',
      { spec: { minAvailable: 1 } },
      { spec: { minAvailable: 0 } },
    ],
    [
      'rolebinding',
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `llm-gateway-web-read.${SYSTEM}` },
      },
      { subjects: [] },
    ],
  ]

describe(`the operator's own account, installed in ${SYSTEM}, by real writes`, {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator | undefined
  before(async () => {
    scene = await startOperatorScene({ installedIn: SYSTEM })
    for (const [resource, apiVersion, kind, content] of KINDS) {
      for (const name of ['coredns', `kube-dns-${resource}`])
        await scene.apply(object({ apiVersion, kind, ...content }, name))
      await scene.apply(object({ apiVersion, kind, ...content }, 'ours', { labels: LABEL }))
    }
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const binding = (name: string, change: { readonly roleRef?: object; readonly subject?: Json }): object => {
    const subject = { kind: 'ServiceAccount', name, namespace: 'kube-system', ...change.subject }
    const { namespace, ...nameless } = subject
    return object(
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: `llm-gateway-web-read.${SYSTEM}`, ...change.roleRef },
        subjects: [namespace === null ? { apiGroup: RBAC, ...nameless } : subject],
      },
      name,
      { labels: LABEL },
    )
  }
  const object = (content: object, name: string, metadata: object = {}): object => {
    return { ...content, metadata: { name, namespace: 'kube-system', ...metadata } }
  }
  const act = (args: readonly string[], input?: object) =>
    scene.server.kubectl(['--kubeconfig', scene.kubeconfig, '-n', 'kube-system', ...args], JSON.stringify(input))
  const expectSuccess = async (args: readonly string[], input?: object): Promise<void> => {
    const { code, stderr } = await act(args, input)
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  }
  const expectRefusal = async (why: RegExp, args: readonly string[], input?: object): Promise<void> => {
    const { code, stderr } = await act(args, input)
    assert.match(stderr, why, args.join(' '))
    assert.notEqual(code, 0)
  }
  const patch = (resource: string, name: string, change: object) =>
    ['patch', resource, name, '--type=merge', '-p', JSON.stringify(change)] as const

  for (const [resource, apiVersion, kind, content, edit] of KINDS) {
    test(`writes a ${kind} only if it has the operator's label before and after the write`, async () => {
      for (const name of ['coredns', `kube-dns-${resource}`]) {
        await expectRefusal(ONLY_LABELLED, patch(resource, name, edit))
        await expectRefusal(ONLY_LABELLED, patch(resource, name, { metadata: { labels: LABEL } }))
        await expectRefusal(ONLY_LABELLED, patch(resource, name, { ...edit, metadata: { labels: LABEL } }))
        await expectRefusal(ONLY_LABELLED, ['delete', resource, name, '--wait=false'])
      }
      const created = object({ apiVersion, kind, ...content }, 'made')
      await expectRefusal(ONLY_LABELLED, ['create', '-f', '-'], created)
      await expectRefusal(
        ONLY_LABELLED,
        patch(resource, 'ours', { metadata: { labels: { ...LABEL, [Object.keys(LABEL)[0] ?? '']: null } } }),
      )
      await expectSuccess(['create', '-f', '-'], object({ apiVersion, kind, ...content }, 'made', { labels: LABEL }))
      await expectSuccess(patch(resource, 'ours', edit))
      await expectSuccess(['delete', resource, 'ours', 'made', '--wait=false'])
    })
  }

  const pods: readonly (readonly [what: string, pod: object, why: RegExp])[] = [
    ['another service account', { serviceAccountName: 'coredns' }, /no service account but their own/],
    [
      'another service account in the deprecated field',
      { serviceAccount: 'coredns' },
      /no service account but their own/,
    ],
    ['a token', { automountServiceAccountToken: true }, /gives its pods no token/],
    ['a token by default', { automountServiceAccountToken: null }, /gives its pods no token/],
    [
      'a token as a volume',
      { volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      /gives its pods no token/,
    ],
    ['a folder of the node', { volumes: [{ name: 'h', hostPath: { path: '/' } }] }, /the rights of a node/],
    ["the node's network", { hostNetwork: true }, /the rights of a node/],
    ["the node's processes", { hostPID: true }, /the rights of a node/],
    [
      'every right of the node',
      { initContainers: [{ name: 'b', image: 'b', securityContext: { privileged: true } }] },
      /the rights of a node/,
    ],
  ]
  for (const [what, pod, why] of pods) {
    test(`runs no pod with ${what}`, async () => {
      for (const kind of ['Deployment', 'StatefulSet']) {
        const labelled = object({ apiVersion: 'apps/v1', kind, ...workload(pod) }, 'pods', { labels: LABEL })
        await expectRefusal(why, ['create', '-f', '-'], labelled)
      }
    })
  }

  const tokens: readonly (readonly [what: string, name: string, change: object, why: RegExp])[] = [
    ['of an account that reads Secrets', 'theirs-web', {}, /the token of an account that may read Secrets/],
    ['of an account whose name does not end with -web', 'ours-page', {}, /gives its pods no token/],
    ['of another web interface', 'ours-web', { serviceAccountName: 'theirs-web' }, /no service account but their own/],
  ]
  for (const [what, name, change, why] of tokens) {
    test(`runs no web interface with the token ${what}`, async () => {
      await scene.kubectl(['-n', 'kube-system', 'create', 'serviceaccount', name])
      if (name === 'theirs-web') {
        await scene.kubectl(['-n', 'kube-system', 'create', 'role', 'reads', '--verb=get', '--resource=secrets'])
        const bound = ['--role=reads', '--serviceaccount=kube-system:theirs-web']
        await scene.kubectl(['-n', 'kube-system', 'create', 'rolebinding', 'reads', ...bound])
      }
      const pod = { automountServiceAccountToken: true, serviceAccountName: name, ...change }
      const labels = { ...LABEL, 'app.kubernetes.io/component': 'web' }
      const made = (kind: string) => object({ apiVersion: 'apps/v1', kind, ...workload(pod) }, name, { labels })
      await scene.until('the rights of that account', async () => {
        const { stderr } = await act(['create', '-f', '-'], made('Deployment'))
        return why.test(stderr) ? true : undefined
      })
      await expectRefusal(/gives its pods no token|no service account/, ['create', '-f', '-'], made('StatefulSet'))
    })
  }

  const bindings: readonly (readonly [what: string, name: string, change: object, why: RegExp])[] = [
    ['another role', 'a-web', { roleRef: { name: 'view' } }, /binds no role but|is attempting to grant/],
    ['its own role', 'a-web', { roleRef: { name: `llm-gateway-operator.${SYSTEM}` } }, /binds no role but/],
    [
      'the edit role of web interfaces',
      'a-web',
      { roleRef: { name: `llm-gateway-web-edit.${SYSTEM}` } },
      /is attempting to grant/,
    ],
    ['an account of another namespace', 'a-web', { subject: { namespace: 'default' } }, /binds no account but/],
    ['another account', 'a-web', { subject: { name: 'coredns' } }, /binds no account but/],
    ['a person', 'a-web', { subject: { kind: 'User', name: 'a-web', namespace: null } }, /binds no account but/],
    ['everybody', 'a-web', { subject: { kind: 'Group', name: 'a-web', namespace: null } }, /binds no account but/],
  ]
  for (const [what, name, change, why] of bindings) {
    test(`makes no RoleBinding with ${what}`, async () => {
      await expectRefusal(why, ['create', '-f', '-'], binding(name, change))
    })
  }

  test('may bind the read role of web interfaces to the account of that name, and may not change the binding later', async () => {
    await expectSuccess(['create', '-f', '-'], binding('b-web', {}))
    const subjects = [{ kind: 'ServiceAccount', name: 'coredns', namespace: 'kube-system' }]
    await expectRefusal(/binds no account but/, patch('rolebinding', 'b-web', { subjects }))
    const cluster = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'b-web', labels: LABEL } }
    const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: `llm-gateway-web-read.${SYSTEM}` }
    await expectRefusal(/forbidden/, ['create', '-f', '-'], { ...cluster, roleRef, subjects })
  })

  for (const [what, spec] of [
    ['an external address', { ports: [{ port: 53 }], externalIPs: ['192.0.2.1'] }],
    ['an external name', { type: 'ExternalName', externalName: 'example.org' }],
  ] as const) {
    test(`makes no Service with ${what}`, async () => {
      const service = object({ apiVersion: 'v1', kind: 'Service', spec }, 'taken', { labels: LABEL })
      await expectRefusal(/takes no address/, ['create', '-f', '-'], service)
    })
  }

  test('keeps an address that people set on the Service', async () => {
    const spec = { ports: [{ port: 53 }], externalIPs: ['192.0.2.2'] }
    await scene.apply(object({ apiVersion: 'v1', kind: 'Service', spec }, 'theirs', { labels: LABEL }))
    await expectSuccess(patch('service', 'theirs', { spec: { selector: { a: 'b' } } }))
    await expectRefusal(/takes no address/, patch('service', 'theirs', { spec: { externalIPs: ['192.0.2.3'] } }))
  })

  test('runs pods under their own service account', async () => {
    const own = object(
      { apiVersion: 'apps/v1', kind: 'Deployment', ...workload({ serviceAccountName: 'pods' }) },
      'pods',
      { labels: LABEL },
    )
    await expectSuccess(['create', '-f', '-', '--dry-run=server'], own)
  })

  test('writes no Lease but its own, and no event but its own', async () => {
    const lease = (name: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: SYSTEM },
    })
    await expectRefusal(/no lease but its own/, ['-n', SYSTEM, 'create', '-f', '-'], lease('other'))
    await expectSuccess(['-n', SYSTEM, 'create', '-f', '-'], lease('llm-gateway-operator'))
    const event = (reportingController: string): object => {
      const fields = {
        action: 'a',
        type: 'Normal',
        reason: 'R',
        reportingInstance: 'i',
        eventTime: '2026-11-21T01:00:00.000000Z',
      }
      const regarding = { kind: 'Pod', name: 'a', namespace: 'kube-system' }
      const whole = { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...fields, regarding, reportingController }
      return object(whole, `told-by-${reportingController.split('.')[0]}`)
    }
    await expectRefusal(/no events but its own/, ['create', '-f', '-'], event('kubelet'))
    await expectSuccess(['create', '-f', '-'], event('llmgateway.io/operator'))
    await scene.kubectl(['create', '-f', '-'], event('kubelet'))
    // A client, since the account lacks the right to read, which kubectl needs first.
    const place = { kind: 'Event', namespace: 'kube-system', name: 'told-by-kubelet' } as const
    const outcome = await scene.client.merge(place, { note: 'x' })
    assert.deepEqual(outcome.kind === 'refused' && [outcome.status, outcome.code], [422, 'Invalid'])
  })

  test('has no other rights', async () => {
    const never = ['create clusterrolebindings', 'escalate roles', 'impersonate users', 'create pods', 'delete pods']
    const more = [
      'create pods --subresource=exec',
      'create serviceaccounts --subresource=token',
      'update nodes',
      'patch namespaces',
      'create jobs.batch',
    ]
    const ours = ['update routers.llmgateway.io', 'delete llmgateways.llmgateway.io', 'patch customresourcedefinitions']
    const policies = [
      'patch validatingadmissionpolicies',
      'delete validatingadmissionpolicybindings',
      'create daemonsets',
    ]
    for (const right of [...never, ...more, ...ours, ...policies]) {
      const { stdout } = await scene.server.kubectl(['auth', 'can-i', ...right.split(' '), '-A', `--as=${ACCOUNT}`])
      assert.equal(stdout.trim(), 'no', right)
    }
  })

  test('has all rights that it needs: every object of a full gateway exists, and a removed label is restored', async () => {
    operator = await scene.start()
    const api = 'llmgateway.io/v1alpha1'
    const spec = { record: { sinks: { file: {} } }, webInterface: {} }
    await scene.apply({ apiVersion: api, kind: 'LLMGateway', metadata: { name: 'main', namespace: 'llm' }, spec })
    const count = { gatewayRef: { name: 'main' }, type: 'CharacterCount', replicas: 2 }
    await scene.apply({
      apiVersion: api,
      kind: 'Processor',
      metadata: { name: 'count', namespace: 'llm' },
      spec: count,
    })
    const made = [
      'deployment/main',
      'deployment/main-sink-file',
      'deployment/main-web',
      'rolebinding/main-web',
      'deployment/count-processor',
      'statefulset/main-bus',
    ]
    for (const one of [...made, 'pdb/count-processor', 'networkpolicy/main', 'secret/main-values', 'service/main'])
      await scene.untilTrue(one, () => scene.isThere(one))
    const policy: Json = await scene.get('networkpolicy', 'main')
    assert.equal(JSON.stringify(policy.spec).includes(`"kubernetes.io/metadata.name":"${SYSTEM}"`), true)
    await scene.inNamespace('label', 'service', 'main', 'app.kubernetes.io/managed-by-', '--overwrite')
    await scene.untilTrue('the label', async () => {
      const { metadata }: Json = await scene.get('service', 'main')
      return metadata.labels['app.kubernetes.io/managed-by'] === 'llm-gateway-operator'
    })
    const conditions: Json = (await scene.get('llmgateway', 'main')).status.conditions
    assert.doesNotMatch(JSON.stringify(conditions), /ApplyFailed/)
  })
})
