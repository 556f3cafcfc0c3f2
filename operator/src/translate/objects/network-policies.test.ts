import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listAt, valueAt } from '@llm-gateway/kube'
import { parseAllDocuments } from 'yaml'
import type { ObjectHead } from '../../model/kube-object.ts'
import { givenIn, snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'

// Rules: docs/reference/kubernetes.md#trust

const ROOT = join(import.meta.dirname, '../../../..')
const deployed = (file: string): readonly ObjectHead[] =>
  parseAllDocuments(readFileSync(join(ROOT, 'operator/deploy', file), 'utf8')).map((document) => document.toJS())

const given = givenIn(readFileSync(join(ROOT, 'operator/testdata/processors/every-type.in.yaml'), 'utf8'))
const sinks = { file: {}, rest: { url: 'https://log.example' } }
given.gateway.spec.record = { sinks }
given.gateway.spec.webInterface = {}
given.sources = { ...given.sources, 'llm/Secret/main-web': { values: { GUI_SECRET: 'planted' } } }
const { objects, withheld } = translate(snapshotOf(given))

type Labels = Readonly<Record<string, string>>
type Pod = {
  readonly name: string
  readonly namespace: string
  readonly namespaceLabels: Labels
  readonly labels: Labels
}

const labelsAt = (object: unknown, ...path: readonly string[]): Labels =>
  Object.fromEntries(Object.entries(valueAt(object, ...path) ?? {}).map(([name, value]) => [name, String(value)]))
const podOf = (workload: ObjectHead): Pod => ({
  name: workload.metadata.name,
  namespace: workload.metadata.namespace,
  namespaceLabels: {},
  labels: labelsAt(workload, 'spec', 'template', 'metadata', 'labels'),
})

const workloads = [...objects, ...withheld].filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
const ours = workloads.map(podOf)
const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
const [namespace] = deployed('rbac.yaml')
const [workload] = deployed('workload.yaml')
assert.ok(namespace && workload)
const operator: Pod = {
  ...podOf(workload),
  namespaceLabels: { 'kubernetes.io/metadata.name': namespace.metadata.name },
}
const elsewhere = { namespace: 'elsewhere', namespaceLabels: {} }
const prometheus: Pod = {
  name: 'prometheus',
  namespace: 'monitoring',
  namespaceLabels: { 'llmgateway.io/monitoring': 'true' },
  labels: {},
}

/**
 * Judges as a network plugin does: a pod that no policy selects is open; others accept traffic that any of their
 * policies allows.
 */
function mayReach(from: Pod, to: Pod, port: number): boolean {
  const selecting = policies.filter(
    (policy) =>
      policy.metadata.namespace === to.namespace && selects(valueAt(policy, 'spec', 'podSelector'), to.labels),
  )
  if (selecting.length === 0) return true
  const rules = selecting.flatMap((policy) => listAt(policy, 'spec', 'ingress'))
  return rules.some((rule) => {
    const peers = listAt(rule, 'from')
    const isPort = listAt(rule, 'ports').some((entry) => valueAt(entry, 'port') === port)
    return isPort && (peers.length === 0 || peers.some((peer) => isPeer(peer, from, to)))
  })
}

function isPeer(peer: unknown, from: Pod, to: Pod): boolean {
  const [pods, namespaces] = [valueAt(peer, 'podSelector'), valueAt(peer, 'namespaceSelector')]
  const inNamespace =
    namespaces === undefined ? from.namespace === to.namespace : selects(namespaces, from.namespaceLabels)
  return inNamespace && (pods === undefined || selects(pods, from.labels))
}

function selects(selector: unknown, labels: Labels): boolean {
  const wanted = Object.entries(labelsAt(selector, 'matchLabels'))
  const among = listAt(selector, 'matchExpressions').every((expression) =>
    listAt(expression, 'values').includes(labels[String(valueAt(expression, 'key'))]),
  )
  return among && wanted.every(([name, value]) => labels[name] === value)
}

const find = (name: string): Pod => {
  const pod = ours.find((candidate) => candidate.name === name)
  assert.ok(pod, name)
  return pod
}
const stranger = (labels: Labels): Pod => ({ name: 'stranger', namespace: 'llm', namespaceLabels: {}, labels })

test('the goldens have NetworkPolicies', () => assert.ok(ours.length >= 12))

test('every pod of the gateway and the operator reach the bus, and nobody else does', () => {
  const bus = find('main-bus')
  for (const pod of ours) assert.equal(mayReach(pod, bus, 4222), pod !== bus, pod.name)
  const gateway = find('main')
  // The operator deletes the consumers of removed sinks.
  assert.equal(mayReach(operator, bus, 4222), true)
  const others: readonly Pod[] = [
    prometheus,
    stranger({}),
    stranger({ ...gateway.labels, 'app.kubernetes.io/instance': 'other' }),
    { ...gateway, ...elsewhere },
  ]
  for (const pod of others) assert.equal(mayReach(pod, bus, 4222), false, JSON.stringify(pod))
  assert.equal(mayReach(gateway, bus, 8222), false)
})

test('callers reach the gateway; its admin port is for the operator and monitoring', () => {
  const gateway = find('main')
  for (const pod of [stranger({}), { ...stranger({}), ...elsewhere }]) {
    assert.deepEqual([mayReach(pod, gateway, 5380), mayReach(pod, gateway, 9464)], [true, false])
  }
  for (const pod of [operator, prometheus]) assert.equal(mayReach(pod, gateway, 9464), true, pod.name)
  assert.equal(mayReach({ ...operator, ...elsewhere }, gateway, 9464), false)
  assert.equal(mayReach({ ...stranger({}), namespaceLabels: operator.namespaceLabels }, gateway, 9464), false)
})

test('browsers reach the web interface; it reaches the admin port of the gateway, which others do not', () => {
  const web = find('main-web')
  for (const pod of [stranger({}), { ...stranger({}), ...elsewhere }, find('main')]) {
    assert.deepEqual([mayReach(pod, web, 8080), mayReach(pod, web, 9464)], [true, false], pod.name)
  }
  assert.equal(mayReach(web, find('main'), 9464), true)
  assert.equal(mayReach({ ...web, ...elsewhere }, find('main'), 9464), false)
})

test('monitoring reads processors and sinks on their one port, and nobody else connects to them', () => {
  const called = ours.filter(({ name }) => name !== 'main' && name !== 'main-bus' && name !== 'main-web')
  assert.ok(called.length >= 10)
  for (const pod of called) {
    assert.equal(mayReach(prometheus, pod, 9464), true, pod.name)
    for (const from of [stranger({}), find('main'), operator]) assert.equal(mayReach(from, pod, 9464), false, pod.name)
  }
})
