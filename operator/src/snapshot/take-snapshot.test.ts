import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmGatewaySchema } from '@llm-gateway/crds'
import type { ClusterState } from '../kube/cluster-state.ts'
import { emptyClusterState } from '../kube/cluster-state-under-test.ts'
import { decodeNamespace, MOST_NAMESPACE_LABELS } from '../kube/decode-lean.ts'
import { admitsNamespace } from '../translate/admit-namespace.ts'
import { createSnapshotTaker } from './take-snapshot.ts'

// Rules: docs/reference/kubernetes.md#paths

const gateway = llmGatewaySchema.parse({ metadata: { name: 'main', namespace: 'llm', uid: 'u' }, spec: {} })

test('a namespace whose labels are too long is admitted by no selector, not even by one for a missing label', async () => {
  const state = emptyClusterState('llm/main')
  const long = 'x'.repeat(MOST_NAMESPACE_LABELS)
  for (const [name, labels] of Object.entries({ short: { team: 'a' }, long: { team: 'a', padding: long } })) {
    const namespace = decodeNamespace({ metadata: { name, labels } })
    assert.ok(namespace)
    state.namespaces.put(namespace)
  }
  const { namespaces: labels } = await takerOf(state).take(gateway)
  const missing = { matchExpressions: [{ key: 'closed', operator: 'DoesNotExist' as const, values: [] }] }
  for (const selector of [{ matchLabels: { team: 'a' } }, missing]) {
    const admits = (name: string) => admitsNamespace({ from: 'Selector', selector }, name, { own: 'llm', labels })
    assert.deepEqual([admits('short'), admits('long')], [true, false])
  }
})

function takerOf(state: ClusterState) {
  return createSnapshotTaker({
    state,
    sources: { read: async () => ({ kind: 'missing' }), keepOnly: () => undefined },
    liveFile: {
      read: async () => ({ callPoints: [], routers: new Map() }),
      wrote: () => undefined,
      forget: () => undefined,
    },
    values: { read: async () => ({ kind: 'found', live: undefined }) },
    gatewayClass: 'llm-gateway',
    defaultImage: 'i',
    operatorNamespace: 'llm-gateway-system',
    operatorLabels: {},
    webReadRole: undefined,
    lease: undefined,
  })
}
