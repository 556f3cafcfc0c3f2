import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  requestAnswered(method: string, code: string): void
  reconciled(result: 'success' | 'error', seconds: number): void
  /** The Prometheus text. */
  render(): Promise<string>
}

export type MetricsOptions = { readonly depth: () => number; readonly isLeading: () => boolean }

/** Metrics with the names that dashboards of controllers know (kubernetes, 5). */
export function createMetrics({ depth, isLeading }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const controller = 'llmgateway'
  const reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations by result',
    labelNames: ['controller', 'result'],
    registers,
  })
  const seconds = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of reconciliations',
    labelNames: ['controller'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Calls of the API server by method and status',
    labelNames: ['method', 'code'],
    registers,
  })
  new Gauge({
    name: 'workqueue_depth',
    help: 'Keys that wait',
    labelNames: ['name'],
    registers,
    collect() {
      this.set({ name: controller }, depth())
    },
  })
  new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this one leads: 1, or 0',
    labelNames: ['name'],
    registers,
    collect() {
      this.set({ name: 'llm-gateway-operator' }, isLeading() ? 1 : 0)
    },
  })
  return {
    requestAnswered: (method, code) => requests.inc({ method, code }),
    reconciled: (result, took) => {
      reconciles.inc({ controller, result })
      seconds.observe({ controller }, took)
    },
    render: () => registry.metrics(),
  }
}
