import { collectDefaultMetrics, Registry } from 'prom-client'
import { expose } from './metrics/exposition.ts'
import { GatewayState, type Gauges, type RouterCounts } from './metrics/gateway-state.ts'
import { countOpenFiles, OPEN_FILES, showOpenFiles } from './metrics/open-files.ts'
import { Traffic } from './metrics/traffic.ts'
import { TextPieces } from './work/text-pieces.ts'
import { WorkQueue } from './work/work-queue.ts'

/** Paths of the routers, and names of the processors, of a configuration. */
export type ConfiguredNames = { readonly routers: Iterable<string>; readonly processors: Iterable<string> }

/**
 * The metrics of the gateway (docs/reference/metrics.md#gateway). Every call but `render` takes well under a
 * microsecond. Durations are seconds with fractions.
 */
export type Metrics = {
  /** Counts a request; `errorType` is '' without an error, `overheadSeconds` undefined where no call was made. */
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
  /** Counts a call or a record that waited for room in the record queue. */
  recordWaited(): void
  reloaded(result: 'ok' | 'failed' | 'waiting'): void
  /**
   * Notes a configuration. With `names`, the series of all other routers, except `none`, and of all other processors
   * are dropped; without `names` all stay.
   */
  configLive(digest: string, routers: RouterCounts, names?: ConfiguredNames): void
  /** Sets the functions that each scrape reads. */
  gauges(read: Gauges): void
  /** Returns the Prometheus text format, 0.0.4, in pieces; works in slices. */
  render(): Promise<readonly Buffer[]>
}

/**
 * Creates the metrics. Counters and histograms are plain arrays, since prom-client builds and hashes a label object at
 * every observation; prom-client only makes the process metrics.
 * The process metrics begin at the first `render`, since they can't be stopped again. A router or processor that
 * comes back after it was dropped begins at 0.
 */
export function createMetrics(work = new WorkQueue(), openFiles = countOpenFiles): Metrics {
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
    configLive: (digest, routers, names) => {
      state.configLive(digest, routers)
      if (names === undefined) return
      traffic.routers.keep(new Set(['none', ...names.routers]))
      traffic.processors.keep(new Set(names.processors))
    },
    gauges: (read) => state.gauges(read),
    render: async () => {
      processMetrics ??= createProcessMetrics(openFiles)
      const text = new TextPieces(work.begin('metrics'))
      await expose(families, text)
      text.add(await processMetrics.metrics())
      return text.end()
    },
  }
}

/** Gauges whose collection walks all connections in one task: with 20,000 connections they took 45 to 80 ms. */
const WALKING = ['nodejs_active_handles', 'nodejs_active_requests', 'nodejs_active_resources']

function createProcessMetrics(openFiles: () => Promise<number>): Registry {
  const register = new Registry()
  collectDefaultMetrics({ register })
  for (const name of WALKING) {
    register.removeSingleMetric(name)
    // Its sum, whose name ends like that of a counter.
    register.removeSingleMetric(`${name}_total`)
  }
  if (register.getSingleMetric(OPEN_FILES) !== undefined) showOpenFiles(register, openFiles)
  return register
}
