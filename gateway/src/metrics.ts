import { collectDefaultMetrics, Registry } from 'prom-client'
import { expose } from './metrics/exposition.ts'
import { GatewayState, type Gauges, type RouterCounts } from './metrics/gateway-state.ts'
import { Traffic } from './metrics/traffic.ts'
import { TextPieces } from './work/text-pieces.ts'
import { WorkQueue } from './work/work-queue.ts'

/**
 * The metrics of the gateway (docs/reference/metrics.md#gateway). Every call but `render` costs well under a
 * microsecond. Seconds have fractions.
 */
export type Metrics = {
  /** `errorType` is '' where there is none; `overheadSeconds` undefined where no call was made. */
  requestEnded(e: {
    router: string
    status: number
    errorType: string
    seconds: number
    overheadSeconds: number | undefined
  }): void
  processorCalled(e: { processor: string; outcome: 'completed' | 'nothing' | 'failed'; seconds: number }): void
  upstreamAnswered(e: { router: string; seconds: number; secondsToFirstToken: number | undefined }): void
  tokensUsed(e: { router: string; type: 'input' | 'output'; tokens: number }): void
  recordsPublished(count: number): void
  recordsLost(count: number, reason: string): void
  /** A call or a record waited for room in the record queue. */
  recordWaited(): void
  reloaded(result: 'ok' | 'failed' | 'waiting'): void
  /** With `paths`, the series of every router that isn't among them are dropped (`none` stays); without, all stay. */
  configLive(digest: string, routers: RouterCounts, paths?: Iterable<string>): void
  /** Read at each scrape. */
  gauges(read: Gauges): void
  /** The Prometheus text format, 0.0.4, in pieces; made in slices. */
  render(): Promise<readonly Buffer[]>
}

/**
 * Counters and histograms in plain arrays: prom-client builds and hashes a label object at every observation, so it only does the process metrics here.
 *
 * Those are begun by the first `render` (they can't be stopped again). A router that comes back after it was dropped begins at 0.
 */
export function createMetrics(work = new WorkQueue()): Metrics {
  const traffic = new Traffic()
  const state = new GatewayState()
  const families = [...traffic.families(), ...state.families()]
  let processMetrics: Registry | undefined
  return {
    requestEnded: ({ router, status, errorType, seconds, overheadSeconds }) =>
      traffic.routers.of(router).requestEnded(status, errorType, seconds, overheadSeconds),
    processorCalled: ({ processor, outcome, seconds }) => traffic.processors.of(processor).called(outcome, seconds),
    upstreamAnswered: ({ router, seconds, secondsToFirstToken }) =>
      traffic.routers.of(router).upstreamAnswered(seconds, secondsToFirstToken),
    tokensUsed: ({ router, type, tokens }) => traffic.routers.of(router).tokensUsed(type, tokens),
    recordsPublished: (count) => state.recordsPublished(count),
    recordsLost: (count, reason) => state.recordsLost(count, reason),
    recordWaited: () => state.recordWaited(),
    reloaded: (result) => state.reloaded(result),
    configLive: (digest, routers, paths) => {
      state.configLive(digest, routers)
      if (paths !== undefined) traffic.routers.keep(new Set(['none', ...paths]))
    },
    gauges: (read) => state.gauges(read),
    render: async () => {
      processMetrics ??= createProcessMetrics()
      const text = new TextPieces(work.begin())
      await expose(families, text)
      text.add(await processMetrics.metrics())
      return text.end()
    },
  }
}

/** Gauges that end like counters; each is the sum of the gauge without that end. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

function createProcessMetrics(): Registry {
  const register = new Registry()
  collectDefaultMetrics({ register })
  for (const name of MISNAMED) register.removeSingleMetric(name)
  return register
}
