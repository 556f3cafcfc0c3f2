import type { Charts } from '@llm-gateway/gui-api'
import type { Sample } from './metrics-text.ts'
import {
  ALL_ROUTERS,
  addSample,
  BucketBounds,
  type Counts,
  emptyCounts,
  type Histogram,
  RouterCounts,
} from './router-counts.ts'

/** A router's rates and quantiles in one step, in the order that `chartOf` reads; NaN means unknown. */
type Values = Float64Array
type Moment = {
  readonly time: number
  /** Values of the busiest routers; undefined if the gateway didn't answer. */
  readonly values: ReadonlyMap<string, Values> | undefined
}
type Chart = Charts['routers'][number]

const STEP_MS = 10_000
const MOST_MOMENTS = 361
const MOST_ROUTERS = 50

/**
 * Records an hour of the gateway's counters in steps of ten seconds, for all routers together and the busiest 50. Full
 * counters are kept for the newest answer only: for an hour and 50 routers they would take 170 MB.
 */
export class ChartRecorder {
  readonly stepMs = STEP_MS
  readonly #bounds = new BucketBounds()
  #moments: Moment[] = []
  /** undefined if the gateway didn't answer. */
  #newest: RouterCounts | undefined
  /** The newest counters of an answer, with the names that the moments share. */
  #answered: RouterCounts | undefined

  /** @param read passes on the gateway's samples; false if the answer is missing or incomplete. */
  async look(time: () => number, read: (take: (sample: Sample) => void) => Promise<boolean>): Promise<void> {
    const counts = new RouterCounts()
    const context = { bounds: this.#bounds, former: this.#answered }
    const isWhole = await read((sample) => addSample(counts, sample, context))
    this.#add(time(), isWhole ? counts : undefined)
  }

  #add(time: number, counts: RouterCounts | undefined): void {
    const before = this.#newest
    const seconds = (time - (this.#moments.at(-1)?.time ?? time)) / 1000
    const values = busiest(counts).map((now) => {
      // A router without calls has no counters yet, so it counts from 0.
      const from = before === undefined ? undefined : (before.get(now.name) ?? emptyCounts(now.name))
      // Counters that went back belong to another start of the gateway.
      const isKnown = from !== undefined && seconds > 0 && now.requests >= from.requests
      return [now.name, isKnown ? valuesOf({ from, now, seconds }, this.#bounds) : UNKNOWN] as const
    })
    this.#newest = counts
    this.#answered = counts ?? this.#answered
    this.#moments = [...this.#moments, { time, values: counts && new Map(values) }].slice(-MOST_MOMENTS)
  }

  charts(minutes: number, now: number): Charts {
    const moments = this.#moments.filter(({ time }) => time >= now - minutes * 60_000 - STEP_MS)
    const steps = moments.slice(1)
    const names = [...(moments.at(-1)?.values?.keys() ?? [ALL_ROUTERS])]
    return {
      step_ms: STEP_MS,
      times: steps.map(({ time }) => time),
      routers: names.map((name) => chartOf(name, steps)),
    }
  }
}

export type ChartDependencies = {
  /** Passes on the gateway's samples; false if the gateway doesn't answer. */
  readonly read: (take: (sample: Sample) => void) => Promise<boolean>
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Adds a moment at once and at each step until the signal. A moment that can't be read has no values. */
export function followCharts(charts: ChartRecorder, { read, now, signal }: ChartDependencies): void {
  let looking = false
  const look = async () => {
    // A gateway that answers slowly is not asked again meanwhile.
    if (looking) return
    looking = true
    await charts
      .look(now, (take) => read(take).catch(() => false))
      .finally(() => {
        looking = false
      })
  }
  // `look` never rejects: a failed read is a moment without values.
  const timer = setInterval(() => void look(), charts.stepMs)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  void look()
}

type CountsChange = { readonly from: Counts; readonly now: Counts; readonly seconds: number }

const UNKNOWN: Values = new Float64Array(10).fill(Number.NaN)
const QUANTILES = [
  ['latency', 0.5],
  ['latency', 0.95],
  ['overhead', 0.5],
  ['overhead', 0.95],
  ['firstToken', 0.5],
  ['firstToken', 0.95],
] as const

/** Returns the sums and the busiest routers, the sums first. */
function busiest(routers: RouterCounts | undefined): readonly Counts[] {
  const sorted = [...(routers?.values() ?? [])].toSorted((one, other) => other.requests - one.requests)
  const rest = sorted.filter(({ name, requests }) => name !== ALL_ROUTERS && requests > 0).slice(0, MOST_ROUTERS)
  return [...sorted.filter(({ name }) => name === ALL_ROUTERS), ...rest]
}

function valuesOf(step: CountsChange, bounds: BucketBounds): Values {
  const { from, now, seconds } = step
  const rate = (before: number, after: number) => Math.max(0, after - before) / seconds
  return Float64Array.of(
    rate(from.requests, now.requests),
    rate(from.errors, now.errors),
    rate(from.inputTokens, now.inputTokens),
    rate(from.outputTokens, now.outputTokens),
    ...QUANTILES.map(([histogram, share]) => quantile(share, step, { histogram, bounds })),
  )
}

function chartOf(router: string, steps: readonly Moment[]): Chart {
  const values = steps.map((step) => step.values?.get(router) ?? UNKNOWN)
  const series = (index: number) =>
    values.map((measured) => {
      const value = measured[index] ?? Number.NaN
      return Number.isNaN(value) ? null : value
    })
  return {
    router,
    requests_per_second: series(0),
    errors_per_second: series(1),
    latency_ms: { p50: series(4), p95: series(5) },
    overhead_ms: { p50: series(6), p95: series(7) },
    first_token_ms: { p50: series(8), p95: series(9) },
    input_tokens_per_second: series(2),
    output_tokens_per_second: series(3),
  }
}

type HistogramBounds = { readonly histogram: Histogram; readonly bounds: BucketBounds }

/** Estimates a quantile in milliseconds within its bucket; NaN if nothing was observed. */
function quantile(share: number, { from, now }: CountsChange, { histogram, bounds }: HistogramBounds): number {
  const counts = bounds
    .of(histogram)
    .map(({ seconds, index }) => ({ seconds, count: (now.buckets[index] ?? 0) - (from.buckets[index] ?? 0) }))
  const wanted = (counts.at(-1)?.count ?? 0) * share
  if (wanted === 0) return Number.NaN
  let below = { seconds: 0, count: 0 }
  for (const bucket of counts) {
    if (bucket.count >= wanted) {
      if (bucket.seconds === Number.POSITIVE_INFINITY) return below.seconds * 1000
      const part = (wanted - below.count) / (bucket.count - below.count)
      return (below.seconds + (bucket.seconds - below.seconds) * part) * 1000
    }
    below = bucket
  }
  return Number.NaN
}
