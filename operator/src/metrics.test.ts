import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, objectMetaSchema, routerSchema } from '@llm-gateway/crds'
import { Store } from '@llm-gateway/kube'
import { createMetrics } from './metrics.ts'
import { countStates } from './status/count-states.ts'
import { watchProgrammedLag } from './status/watch-programmed-lag.ts'

// Rules: docs/reference/metrics.md#operator

function condition(type: string, status: Condition['status'], observedGeneration = 1): Condition {
  return { type, status, reason: 'R', message: '', observedGeneration, lastTransitionTime: '2026-01-01T00:00:00Z' }
}

test('metrics have the names that dashboards know', async () => {
  const metrics = createMetrics({
    depth: () => 3,
    workingMs: () => [1_000, 2_500],
    workers: 4,
    isLeading: () => true,
    host: 'api:443',
    resources: () => new Map([['Router', countStates([{ status: { conditions: [condition('Accepted', 'False')] } }])]]),
    elsewhere: () => 3,
    policies: () => 'hold',
    forbidden: () =>
      new Map([
        ['llm', false],
        ['team-b', true],
      ]),
  })
  metrics.requestAnswered('GET', '200')
  metrics.reconciled('error', 0.2)
  metrics.programmed(0.25)
  metrics.queue.added()
  metrics.queue.taken(20)
  metrics.queue.retried()
  const text = await metrics.render()
  for (const line of [
    'rest_client_requests_total{method="GET",host="api:443",code="200"} 1',
    'controller_runtime_reconcile_total{controller="llmgateway",result="error"} 1',
    'controller_runtime_reconcile_total{controller="llmgateway",result="success"} 0',
    'controller_runtime_reconcile_errors_total{controller="llmgateway"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="llmgateway"} 1',
    'controller_runtime_active_workers{controller="llmgateway"} 2',
    'controller_runtime_max_concurrent_reconciles{controller="llmgateway"} 4',
    'workqueue_depth{name="llmgateway"} 3',
    'workqueue_adds_total{name="llmgateway"} 1',
    'workqueue_retries_total{name="llmgateway"} 1',
    'workqueue_queue_duration_seconds_count{name="llmgateway"} 1',
    'workqueue_work_duration_seconds_count{name="llmgateway"} 1',
    'workqueue_unfinished_work_seconds{name="llmgateway"} 3.5',
    'workqueue_longest_running_processor_seconds{name="llmgateway"} 2.5',
    'leader_election_master_status{name="llm-gateway-operator"} 1',
    'llm_gateway_operator_resources{kind="Router",state="not_accepted"} 1',
    'llm_gateway_operator_resources{kind="Router",state="programmed"} 0',
    'llm_gateway_operator_programmed_lag_seconds_count 1',
    'llm_gateway_operator_namespace_forbidden{namespace="llm"} 0',
    'llm_gateway_operator_namespace_forbidden{namespace="team-b"} 1',
  ]) {
    assert.ok(text.split('\n').includes(line), line)
  }
  assert.match(text, /^process_resident_memory_bytes /m)
})

test('a resource counts once: an unreadable spec comes first, then not accepted, unresolved, programmed, pending', () => {
  const of = (...conditions: readonly Condition[]) => ({ status: { conditions } })
  const counts = countStates([
    of(condition('Programmed', 'True'), condition('Accepted', 'True')),
    of(condition('Programmed', 'False'), condition('ResolvedRefs', 'False')),
    of(condition('ResolvedRefs', 'False'), condition('Accepted', 'False')),
    of(),
    { ...of(condition('Accepted', 'True')), unreadable: { isKept: true, generation: 2 } },
  ])
  assert.deepEqual([...counts.values()], [1, 1, 1, 1, 1])
})

test('the lag is the time from an edit until its generation is in use; resources of the first list have none', () => {
  const routers = new Store<ReturnType<typeof router>>()
  const state = { routers, isSynced: false }
  const lags: number[] = []
  let now = 0
  watchProgrammedLag({ state, programmed: (seconds) => lags.push(seconds), clock: () => now })
  let version = 0
  const put = (name: string, generation: number, programmed: number, at: number): void => {
    now = at
    version += 1
    routers.put(router(name, generation, programmed, version))
  }
  put('old', 1, 1, 0)
  state.isSynced = true
  put('new', 1, 0, 1_000)
  put('new', 2, 1, 2_000)
  put('new', 2, 2, 2_250)
  put('new', 2, 2, 9_000)
  put('old', 2, 1, 10_000)
  const gone = routers.get('n/old')
  assert.ok(gone !== undefined)
  routers.delete({ metadata: { ...gone.metadata, resourceVersion: '99' } })
  assert.deepEqual(lags, [0.25])
})

/** Makes a Router of which generation `programmed` is in use. */
function router(name: string, generation: number, programmed: number, version: number) {
  return routerSchema.parse({
    metadata: objectMetaSchema.parse({ name, namespace: 'n', generation, resourceVersion: String(version) }),
    spec: { gatewayRef: { name: 'main' }, path: `/${name}/`, outbound: { url: 'https://a.example/' } },
    status: { conditions: programmed === 0 ? [] : [condition('Programmed', 'True', programmed)] },
  })
}
