import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managersOf } from './owned-fields.ts'
import { labelsOf } from './resource-row.ts'
import { decodePod, decodeWorkload } from './workloads.ts'

// Rules: docs/reference/web-api.md#resources

const FILLING = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x${i}`, 'x'.repeat(60)]))
const MANAGERS = Array.from({ length: 2_000 }, (_, i) => ({ manager: `m${String(i).padStart(4, '0')}` }))

test('of a resource’s labels and managers the view keeps no more than the first by name', () => {
  const few = { b: '1', a: '2' }
  assert.deepEqual(labelsOf({ metadata: { name: 'r', labels: few } }), few)
  const filled = { metadata: { name: 'r', labels: { ...FILLING, a: 'first' }, managedFields: MANAGERS } }
  const labels = labelsOf(filled)
  assert.equal(labels.a, 'first')
  assert.ok(JSON.stringify(labels).length < 5_000)
  assert.deepEqual([managersOf(filled).length, managersOf(filled)[0]], [64, 'm0000'])
})

test('of a pod and of a workload the view keeps no foreign labels, annotations and owners', () => {
  const labels = { ...FILLING, 'app.kubernetes.io/component': 'bus', 'llmgateway.io/gateway': 'main' }
  const ownerReferences = Object.keys(FILLING).map((uid) => ({ uid }))
  const annotations = { 'llmgateway.io/x': 'x'.repeat(100_000) }
  const object = { metadata: { name: 'p', namespace: 'n', uid: 'u', labels, annotations, ownerReferences } }
  const [pod, workload] = [decodePod(object), decodeWorkload(object)]
  for (const one of [pod, workload]) assert.ok(JSON.stringify(one).length < 2_048)
  assert.deepEqual([pod?.isOfGateway, workload?.service.kind], [true, 'bus'])
})
