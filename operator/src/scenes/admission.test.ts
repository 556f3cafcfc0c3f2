import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#trust

/** Any namespace, since the policies name none. */
const SYSTEM = 'elsewhere'
const OURS = { 'app.kubernetes.io/managed-by': 'llm-gateway-operator' }
const ONLY_ANNOTATES = /the operator only annotates pods/
const NOTHING_ELSE = /the operator changes nothing of a pod but its annotation/
const ONE_ANNOTATION = /the operator writes no annotation but llmgateway.io\/config/
const ONLY_LABELLED = /the operator writes only objects that carry its label/

function pod(name: string, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'llm', ...metadata },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  }
}

function secret(name: string, metadata: object = {}, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'llm', ...metadata }, ...more }
}

const patched = (kind: string, name: string, patch: object): readonly string[] => [
  'patch',
  kind,
  name,
  '--type=merge',
  '-p',
  JSON.stringify(patch),
]

type Write = {
  readonly what: string
  readonly args: readonly string[]
  readonly input?: object
  readonly refused?: RegExp
}

const WRITES: readonly Write[] = [
  {
    what: "the annotation of a gateway's pod",
    args: patched('pod', 'gw', { metadata: { annotations: { 'llmgateway.io/config': 'sha256:x' } } }),
  },
  {
    what: "the annotation of a gateway's pod, removed",
    args: patched('pod', 'gw', { metadata: { annotations: { 'llmgateway.io/config': null } } }),
  },
  {
    what: "another annotation of a gateway's pod",
    args: patched('pod', 'gw', { metadata: { annotations: { a: 'b' } } }),
    refused: ONE_ANNOTATION,
  },
  {
    what: "a foreign annotation of a gateway's pod, removed",
    args: patched('pod', 'gw', { metadata: { annotations: { theirs: null } } }),
    refused: ONE_ANNOTATION,
  },
  {
    what: "a label of a gateway's pod",
    args: patched('pod', 'gw', { metadata: { labels: { a: 'b' } } }),
    refused: NOTHING_ELSE,
  },
  {
    what: "the labels of a gateway's pod, removed",
    args: patched('pod', 'gw', { metadata: { labels: null } }),
    refused: NOTHING_ELSE,
  },
  {
    what: "a finalizer of a gateway's pod",
    args: patched('pod', 'gw', { metadata: { finalizers: ['a.b/c'] } }),
    refused: NOTHING_ELSE,
  },
  {
    what: "an owner of a gateway's pod",
    args: patched('pod', 'gw', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }] },
    }),
    refused: NOTHING_ELSE,
  },
  {
    what: "the image of a gateway's pod",
    args: patched('pod', 'gw', { spec: { containers: [{ name: 'a', image: 'b' }] } }),
    refused: NOTHING_ELSE,
  },
  {
    what: 'the annotation of a foreign pod',
    args: patched('pod', 'foreign', { metadata: { annotations: { 'llmgateway.io/config': 'x' } } }),
    refused: /the operator only annotates pods of gateways/,
  },
  { what: 'a new pod', args: ['create', '-f', '-'], input: pod('new'), refused: ONLY_ANNOTATES },
  { what: "a deleted gateway's pod", args: ['delete', 'pod', 'gw'], refused: ONLY_ANNOTATES },
  {
    what: "the status of a gateway's pod",
    args: [...patched('pod', 'gw', { status: { phase: 'Failed' } }), '--subresource=status'],
    refused: ONLY_ANNOTATES,
  },
  { what: "a process in a gateway's pod", args: ['exec', 'gw', '--', 'sh'], refused: ONLY_ANNOTATES },
  { what: 'a new Secret with its label', args: ['create', '-f', '-'], input: secret('made', { labels: OURS }) },
  { what: 'the data of a Secret with its label', args: patched('secret', 'ours', { data: { a: 'eA==' } }) },
  {
    what: 'a Secret without its label',
    args: ['create', '-f', '-'],
    input: secret('unlabelled'),
    refused: ONLY_LABELLED,
  },
  {
    what: 'the data of a foreign Secret',
    args: patched('secret', 'theirs', { data: { a: 'eA==' } }),
    refused: ONLY_LABELLED,
  },
  {
    what: 'its label on a foreign Secret',
    args: patched('secret', 'theirs', { metadata: { labels: OURS } }),
    refused: ONLY_LABELLED,
  },
  { what: 'a foreign Secret, deleted', args: ['delete', 'secret', 'theirs'], refused: ONLY_LABELLED },
  {
    what: 'a token of a service account',
    args: ['create', '-f', '-'],
    input: secret(
      'token',
      { labels: OURS, annotations: { 'kubernetes.io/service-account.name': 'default' } },
      { type: 'kubernetes.io/service-account-token' },
    ),
    refused: /the operator makes no tokens/,
  },
  { what: 'a Secret with its label, deleted', args: ['delete', 'secret', 'ours'] },
]

describe('the admission policies alone, with every right that RBAC can give', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  before(async () => {
    scene = await startOperatorScene({ installedIn: SYSTEM })
    const account = `--serviceaccount=${SYSTEM}:llm-gateway-operator`
    await scene.kubectl(['create', 'clusterrolebinding', 'all', '--clusterrole=cluster-admin', account])
    const annotations = { theirs: 'stays' }
    await scene.apply(pod('gw', { labels: { 'llmgateway.io/gateway': 'main' }, annotations }))
    await scene.apply(pod('foreign'))
    await scene.apply(secret('theirs'))
    await scene.apply(secret('ours', { labels: OURS }))
  })
  after(async () => scene?.close())

  for (const { what, args, input, refused } of WRITES) {
    test(`the operator ${refused === undefined ? 'may' : "can't"} write ${what}`, async () => {
      const text = input === undefined ? '' : JSON.stringify(input)
      const argv = ['--kubeconfig', scene.kubeconfig, '-n', 'llm', ...args]
      const { code, stderr } = await scene.server.kubectl(argv, text)
      if (refused === undefined) assert.deepEqual([code, stderr], [0, ''])
      else assert.match(stderr, refused)
    })
  }

  test('the policies limit no other account', async () => {
    await scene.kubectl(['-n', 'llm', 'annotate', 'pod', 'foreign', 'a=b'])
    await scene.kubectl(['-n', 'llm', 'delete', 'secret', 'theirs'])
  })
})
