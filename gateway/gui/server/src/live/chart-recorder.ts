import type { Charts } from '@llm-gateway/gui-api'
import { type Sample, samplesOf } from './metrics-text.ts'

/** What the gateway has counted for one router since its start. */
type Counts = {
  requests: number
  errors: number
  inputTokens: number
  outputTokens: number
  /** Histogram → upper bound → how many were at most that. */
  readonly buckets: Map<string, Map<number, number>>
}
type Moment = { readonly time: number; readonly routers: ReadonlyMap<string, Counts> | undefined }
type Chart = Charts['routers'][number]

const ALL = '*'
const STEP_MS = 10_000
const MOST_MOMENTS = 361
const MOST_ROUTERS = 50
const HISTOGRAMS = {
  latency_ms: 'llm_gateway_request_seconds_bucket',
  overhead_ms: 'llm_gateway_overhead_seconds_bucket',
  first_token_ms: 'gen_ai_server_time_to_first_token_bucket',
} as const
const TOKENS = 'gen_ai_client_token_usage_sum'
const REQUESTS = 'llm_gateway_requests_total'
const NAMES: ReadonlySet<string> = new Set([REQUESTS, TOKENS, ...Object.values(HISTOGRAMS)])

/** Remembers an hour of the gateway's counters, a moment each ten seconds, for the busiest 50 routers and all together. */
export class ChartRecorder {
  readonly stepMs = STEP_MS
  #moments: Moment[] = []

  /** @param text the gateway's metrics; undefined: it didn't answer */
  add(time: number, text: string | undefined): void {
    const moment = { time, routers: text === undefined ? undefined : countsOf(text) }
    this.#moments = [...this.#moments, moment].slice(-MOST_MOMENTS)
  }

  charts(minutes: number, now: number): Charts {
    const moments = this.#moments.filter(({ time }) => time >= now - minutes * 60_000 - STEP_MS)
    const steps = moments.slice(1).map((after, index) => ({ before: moments[index], after }))
    const newest = moments.at(-1)?.routers
    const names = newest === undefined ? [ALL] : [...newest.keys()]
    return {
      step_ms: STEP_MS,
      times: steps.map(({ after }) => after.time),
      routers: names.map((name) => chartOf(name, steps)),
    }
  }
}

export type ChartDependencies = {
  /** The gateway's metrics as text; undefined: it doesn't answer. */
  readonly read: () => Promise<string | undefined>
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Adds a moment now and at each step, until the signal; a moment that can't be read is one without numbers. */
export function followCharts(charts: ChartRecorder, { read, now, signal }: ChartDependencies): void {
  const look = async () => charts.add(now(), await read().catch(() => undefined))
  // Neither of them rejects.
  const timer = setInterval(() => void look(), charts.stepMs)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  void look()
}

type Step = { readonly before: Moment | undefined; readonly after: Moment }

function chartOf(router: string, steps: readonly Step[]): Chart {
  const pairs = steps.map(({ before, after }) => {
    const [old, now] = [before?.routers?.get(router), after.routers?.get(router)]
    const isFirst = before?.routers !== undefined && old === undefined
    const from = old ?? (isFirst ? emptyCounts() : undefined)
    // Counters that went back belong to another start of the gateway.
    if (from === undefined || now === undefined || now.requests < from.requests) return undefined
    return { from, now, seconds: (after.time - (before?.time ?? after.time)) / 1000 }
  })
  const rate = (count: (counts: Counts) => number) =>
    pairs.map((pair) => (pair === undefined ? null : Math.max(0, count(pair.now) - count(pair.from)) / pair.seconds))
  const quantiles = (name: string) => {
    const at = (share: number) => pairs.map((pair) => (pair === undefined ? null : quantile(share, pair, name)))
    return { p50: at(0.5), p95: at(0.95) }
  }
  return {
    router,
    requests_per_second: rate(({ requests }) => requests),
    errors_per_second: rate(({ errors }) => errors),
    latency_ms: quantiles(HISTOGRAMS.latency_ms),
    overhead_ms: quantiles(HISTOGRAMS.overhead_ms),
    first_token_ms: quantiles(HISTOGRAMS.first_token_ms),
    input_tokens_per_second: rate(({ inputTokens }) => inputTokens),
    output_tokens_per_second: rate(({ outputTokens }) => outputTokens),
  }
}

/** In milliseconds, between the bounds of its bucket; null where nothing was observed. */
function quantile(share: number, { from, now }: { from: Counts; now: Counts }, name: string): number | null {
  const bounds = [...(now.buckets.get(name) ?? [])].toSorted(([one], [other]) => one - other)
  const counts = bounds.map(([bound, count]) => ({ bound, count: count - (from.buckets.get(name)?.get(bound) ?? 0) }))
  const wanted = (counts.at(-1)?.count ?? 0) * share
  if (wanted === 0) return null
  let below = { bound: 0, count: 0 }
  for (const bucket of counts) {
    if (bucket.count >= wanted) {
      if (bucket.bound === Number.POSITIVE_INFINITY) return below.bound * 1000
      const part = (wanted - below.count) / (bucket.count - below.count)
      return (below.bound + (bucket.bound - below.bound) * part) * 1000
    }
    below = bucket
  }
  return null
}

function countsOf(text: string): ReadonlyMap<string, Counts> {
  const routers = new Map<string, Counts>([[ALL, emptyCounts()]])
  for (const { name, labels, value } of samplesOf(text, NAMES)) {
    const router = labels.get('router') ?? 'none'
    const own = routers.get(router) ?? emptyCounts()
    routers.set(router, own)
    for (const counts of [own, routers.get(ALL)]) if (counts !== undefined) addTo(counts, { name, labels, value })
  }
  const busiest = [...routers].toSorted(([, one], [, other]) => other.requests - one.requests)
  const rest = busiest.filter(([router, { requests }]) => router !== ALL && requests > 0).slice(0, MOST_ROUTERS)
  return new Map([[ALL, routers.get(ALL) ?? emptyCounts()], ...rest])
}

function addTo(counts: Counts, { name, labels, value }: Sample): void {
  if (name === REQUESTS) {
    counts.requests += value
    if ((labels.get('error_type') ?? '') !== '') counts.errors += value
  } else if (name === TOKENS) {
    if (labels.get('gen_ai_token_type') === 'input') counts.inputTokens += value
    if (labels.get('gen_ai_token_type') === 'output') counts.outputTokens += value
  } else {
    const buckets = counts.buckets.get(name) ?? new Map<number, number>()
    const written = labels.get('le') ?? ''
    const bound = written === '+Inf' ? Number.POSITIVE_INFINITY : Number(written)
    buckets.set(bound, (buckets.get(bound) ?? 0) + value)
    counts.buckets.set(name, buckets)
  }
}

function emptyCounts(): Counts {
  return { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, buckets: new Map() }
}
