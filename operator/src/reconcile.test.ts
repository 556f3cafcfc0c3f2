import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAUSED_ANNOTATION } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import { createConcurrencyLimit } from './delivery/concurrency-limit.ts'
import { GatewayDelivery } from './delivery/gateway-delivery.ts'
import { emptyClusterState } from './kube/cluster-state-under-test.ts'
import { decodePod } from './kube/decode.ts'
import type { Snapshot } from './model/snapshot.ts'
import { createReconcile } from './reconcile.ts'
import { snapshotOf } from './translate/golden-input-under-test.ts'
import type { Statuses } from './translate/judge-all.ts'
import { translate } from './translate/translate.ts'

// Rules: docs/reference/kubernetes.md#pause

const PAUSED = { metadata: { annotations: { [PAUSED_ANNOTATION]: 'true' } } }

type Given = Parameters<typeof snapshotOf>[0]

/**
 * Makes the reconciliation of a gateway with one pod, which reports the translated configuration. No configuration of it is
 * written, and nothing at all of a paused one.
 */
function scene(given: Given, more: Partial<Pick<Snapshot, 'sources' | 'unreadValues'>> = {}) {
  const snapshot = { ...snapshotOf(given), ...more }
  const { gateway } = snapshot
  const { digest, entries } = translate(snapshot)
  const pod = decodePod({
    metadata: { name: 'p', namespace: 'llm', uid: 'p' },
    status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  })
  assert.ok(pod)
  const state = emptyClusterState('llm/main')
  state.gateways.put(gateway)
  for (const router of snapshot.routers) state.routers.put(router)
  const answered = Promise.withResolvers<void>()
  const questions: boolean[] = []
  const delivery = new GatewayDelivery({
    pods: () => [pod],
    ask: async (_, question) => {
      questions.push(question.entries)
      const records = { stream: 'on', spooledBytes: 0 } as const
      return { kind: 'reported', digest, valuesRevision: '41', busConnected: true, entries: undefined, records }
    },
    limit: createConcurrencyLimit(1),
    annotate: async () => assert.fail('the pods of a paused gateway are not nudged'),
    changed: () => answered.resolve(),
    failed: assert.ifError,
    gaveUp: () => undefined,
  })
  const nothing = { nameConflicts: [], failures: [] }
  const judged: { readonly uid: string; readonly statuses: Statuses }[] = []
  const during = { take: (): void => undefined }
  const reconcile = createReconcile({
    state,
    snapshots: {
      take: async () => {
        during.take()
        return snapshot
      },
      wrote: () => undefined,
      gatewaysOf: () => [],
      forget: () => undefined,
    },
    writer: {
      writeConfig: async () => assert.fail('no configuration is written'),
      writeObjects: async () => {
        assert.notEqual(given.gateway, PAUSED, 'nothing is written for a paused gateway')
        return { ...nothing, complete: true }
      },
      prune: async () => assert.fail('nothing is deleted'),
      revision: async () => '41',
    },
    statuses: {
      write: async ({ metadata: { uid } }, statuses) => {
        judged.push({ uid, statuses })
        return undefined
      },
      writeOrphans: async () => undefined,
      isRecent: () => false,
      forget: () => undefined,
    },
    deliveryOf: () => delivery,
    claims: { claim: async () => undefined, elsewhere: 0, forget: () => undefined },
    streamCopies: undefined,
    forget: () => undefined,
    gatewayClass: gateway.spec.class,
    now: () => '2026-11-21T02:00:00Z',
  })
  const pass = () => reconcile({ key: keyOf(gateway.metadata), superseded: new AbortController().signal })
  return { state, gateway, delivery, entries, questions, answered: answered.promise, judged, during, pass }
}

test('an operator that never wrote the configuration of a paused gateway asks its pods and judges their answers', async () => {
  const routers = ['a', 'b'].map((name) => ({
    metadata: { name },
    spec: { path: `/${name}/`, outbound: { url: 'https://res.example/' } },
  }))
  const { delivery, entries, questions, answered, judged, pass } = scene({ gateway: PAUSED, routers })
  await pass()
  await answered
  const againMs = await pass()
  const [seen] = delivery.observed()
  delivery.close()
  assert.deepEqual(questions, [false], 'the entries of the translated configuration are known')
  assert.deepEqual(seen?.report.kind === 'reported' && seen.report.entries, entries)
  const programmed = judged.at(-1)?.statuses.routers.map(({ status }) => status.conditions?.find(isProgrammed)?.status)
  assert.deepEqual(programmed, ['True', 'True'])
  assert.equal(againMs, undefined, 'a pod that answers needs no further reconciliation')
})

test('a gateway that replaces one of its name during a pass does not get the status of the other', async () => {
  const { state, gateway, delivery, judged, during, pass } = scene({ gateway: PAUSED })
  const { metadata } = gateway
  during.take = () => {
    state.gateways.delete(gateway)
    state.gateways.put({ ...gateway, metadata: { ...metadata, uid: 'new', resourceVersion: '9' } })
  }
  await pass()
  delivery.close()
  assert.deepEqual(
    judged.map(({ uid }) => uid),
    [metadata.uid],
  )
})

test('a gateway with a source that found no room in its namespace comes back', async () => {
  const values = new Map<string, string>()
  const sources: Snapshot['sources'] = new Map([
    ['llm/Secret/own', { kind: 'found', type: '', values, crowdedOut: true }],
  ])
  const { delivery, answered, pass } = scene({ gateway: PAUSED }, { sources })
  await pass()
  await answered
  const againMs = await pass()
  delivery.close()
  assert.equal(againMs, 60_000)
})

test('no configuration is written without the values of unread sources, and the gateway comes back', async () => {
  const sources: Snapshot['sources'] = new Map([['llm/Secret/own', { kind: 'failed' }]])
  const { delivery, answered, judged, pass } = scene({}, { sources, unreadValues: 'InternalError' })
  await pass()
  await answered
  const againMs = await pass()
  delivery.close()
  assert.equal(againMs, 10_000)
  const conditions = judged.at(-1)?.statuses.gateway.conditions ?? []
  assert.ok(conditions.some(({ message = '' }) => message.includes('Secret main-values: InternalError')))
})

function isProgrammed({ type }: { readonly type: string }): boolean {
  return type === 'Programmed'
}
