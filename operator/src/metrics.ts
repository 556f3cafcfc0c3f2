import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueWatch } from './controller/work-queue.ts'
import type { PolicyState } from './self/watch-policies.ts'

export type ReconcileResult = 'success' | 'error'

export type Metrics = {
  requestAnswered(method: string, code: string): void
  reconciled(result: ReconcileResult, seconds: number): void
  programmed(seconds: number): void
  readonly queue: QueueWatch
  /** The metrics as Prometheus text. */
  render(): Promise<string>
}

export type MetricsOptions = {
  readonly depth: () => number
  /** The ms for which each key under work has been worked on. */
  readonly workingMs: () => readonly number[]
  readonly workers: number
  readonly isLeading: () => boolean
  /** The host of the API server. */
  readonly host: string
  /** Kind → state → number of resources. */
  readonly resources: () => ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Watched namespace → whether one of its lists is refused. */
  readonly forbidden: () => ReadonlyMap<string, boolean>
  /** LLMGateways of its class that another installation looks after. */
  readonly elsewhere: () => number
  readonly policies: () => PolicyState
}

const SECOND_MS = 1_000
const CONTROLLER = 'llmgateway'
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Gauges with the suffix of a counter. Each is the sum of the gauge without that suffix. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
const LAG = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30, 60, 300]

/** Makes the metrics, under the names that dashboards of controllers know (docs/reference/metrics.md#operator). */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  gauges(registry, options)
  const reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations by result',
    labelNames: ['controller', 'result'],
    registers,
  })
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciliations that failed',
    labelNames: ['controller'],
    registers,
  })
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Calls of the API server by method, host and status',
    labelNames: ['method', 'host', 'code'],
    registers,
  })
  const counted = (name: string, help: string) => new Counter({ name, help, labelNames: ['name'], registers })
  const measured = (name: string, help: string, label: string, buckets = SHORT) =>
    new Histogram({ name, help, labelNames: [label], buckets, registers })
  const adds = counted('workqueue_adds_total', 'Keys that were added')
  const retries = counted('workqueue_retries_total', 'Keys that came back after a failure')
  const waited = measured('workqueue_queue_duration_seconds', 'Seconds for which keys waited', 'name')
  const worked = measured('workqueue_work_duration_seconds', 'Seconds of work on keys', 'name')
  const took = measured('controller_runtime_reconcile_time_seconds', 'Seconds of reconciliations', 'controller')
  const lag = new Histogram({
    name: 'llm_gateway_operator_programmed_lag_seconds',
    help: 'Seconds from an edit of a Router until the Router was Programmed',
    buckets: LAG,
    registers,
  })
  for (const result of ['success', 'error'] satisfies ReconcileResult[])
    reconciles.inc({ controller: CONTROLLER, result }, 0)
  const name = CONTROLLER
  return {
    requestAnswered: (method, code) => requests.inc({ method, host: options.host, code }),
    reconciled: (result, seconds) => {
      reconciles.inc({ controller: CONTROLLER, result })
      if (result === 'error') errors.inc({ controller: CONTROLLER })
      took.observe({ controller: CONTROLLER }, seconds)
      worked.observe({ name }, seconds)
    },
    programmed: (seconds) => lag.observe(seconds),
    queue: {
      added: () => adds.inc({ name }),
      taken: (waitedMs) => waited.observe({ name }, waitedMs / SECOND_MS),
      retried: () => retries.inc({ name }),
    },
    render: () => registry.metrics(),
  }
}

/** Registers metrics that are read at each scrape. */
function gauges(registry: Registry, options: MetricsOptions): void {
  const { depth, workingMs, workers, isLeading, resources, forbidden, elsewhere } = options
  const gauge = (name: string, help: string, labels: Readonly<Record<string, string>>, value: () => number): void => {
    new Gauge({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [registry],
      collect() {
        this.set(labels, value())
      },
    })
  }
  const queue = { name: CONTROLLER }
  const controller = { controller: CONTROLLER }
  const seconds = (ms: readonly number[]): number => ms.reduce((sum, one) => sum + one, 0) / SECOND_MS
  gauge('workqueue_depth', 'Keys that wait for work', queue, depth)
  gauge('workqueue_unfinished_work_seconds', 'Seconds spent on keys under work', queue, () => seconds(workingMs()))
  gauge('workqueue_longest_running_processor_seconds', 'Seconds spent on the key that takes longest', queue, () =>
    seconds([Math.max(0, ...workingMs())]),
  )
  gauge('controller_runtime_active_workers', 'Keys under work', controller, () => workingMs().length)
  gauge('controller_runtime_max_concurrent_reconciles', 'Most keys under work at once', controller, () => workers)
  gauge('llm_gateway_operator_gateways_elsewhere', 'LLMGateways that another operator looks after', {}, elsewhere)
  gauge('leader_election_master_status', '1 while this operator leads, else 0', { name: 'llm-gateway-operator' }, () =>
    isLeading() ? 1 : 0,
  )
  new Gauge({
    name: 'llm_gateway_operator_admission_policies',
    help: 'Whether admission policies limit the account of the operator: 1 for the state, 0 for the others',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const state = options.policies()
      for (const one of ['hold', 'missing', 'unknown'] satisfies PolicyState[])
        this.set({ state: one }, one === state ? 1 : 0)
    },
  })
  new Gauge({
    name: 'llm_gateway_operator_resources',
    help: 'Resources by state',
    labelNames: ['kind', 'state'],
    registers: [registry],
    collect() {
      for (const [kind, states] of resources()) {
        for (const [state, count] of states) this.set({ kind, state }, count)
      }
    },
  })
  new Gauge({
    name: 'llm_gateway_operator_namespace_forbidden',
    help: '1 while the API server refuses lists of a watched namespace, else 0',
    labelNames: ['namespace'],
    registers: [registry],
    collect() {
      for (const [namespace, isForbidden] of forbidden()) this.set({ namespace }, isForbidden ? 1 : 0)
    },
  })
}
