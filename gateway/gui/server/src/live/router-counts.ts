import { ownText } from '../own-text.ts'
import type { Sample } from './metrics-text.ts'

/** Counts of one router, or of all routers, since the gateway's start. */
export type Counts = {
  /** The router's path: a text of its own, not a view of the metrics from which it was read. */
  readonly name: string
  requests: number
  errors: number
  inputTokens: number
  outputTokens: number
  /** Counts of the buckets, at the indexes of `BucketBounds`; missing counts are 0. */
  readonly buckets: number[]
}
export type Histogram = 'latency' | 'overhead' | 'firstToken'
/** The upper bound of a bucket in seconds, and the bucket's index in `buckets`. */
type Bound = { readonly seconds: number; readonly index: number }

export const ALL_ROUTERS = '*'
const HISTOGRAMS: ReadonlyMap<string, Histogram> = new Map([
  ['llm_gateway_request_seconds_bucket', 'latency'],
  ['llm_gateway_overhead_seconds_bucket', 'overhead'],
  ['gen_ai_server_time_to_first_token_bucket', 'firstToken'],
])
const TOKENS = 'gen_ai_client_token_usage_sum'
const REQUESTS = 'llm_gateway_requests_total'
export const COUNTED_METRICS: ReadonlySet<string> = new Set([REQUESTS, TOKENS, ...HISTOGRAMS.keys()])
/** Limit for each histogram; the gateway's have 17 bounds at most. */
const MOST_BOUNDS = 100
/** Further routers count in the sum only, and so do routers with longer names: no path of the gateway is as long. */
const MOST_ROUTERS = 20_000
const MOST_NAME = 1_024
/** Characters of all names of a look. */
const MOST_NAMES = 8 * 1024 * 1024

/** Indexes of histogram buckets. All routers have the same bounds, so each router keeps only numbers. */
export class BucketBounds {
  readonly #bounds = new Map<Histogram, Map<number, number>>()
  #size = 0

  /** Returns the index of a bucket; undefined if the histogram has too many bounds. */
  index(histogram: Histogram, seconds: number): number | undefined {
    const bounds = this.#bounds.get(histogram) ?? new Map<number, number>()
    this.#bounds.set(histogram, bounds)
    const known = bounds.get(seconds)
    if (known !== undefined || bounds.size >= MOST_BOUNDS) return known
    bounds.set(seconds, this.#size)
    this.#size += 1
    return this.#size - 1
  }

  /** Returns the bounds of a histogram, lowest first. */
  of(histogram: Histogram): readonly Bound[] {
    const bounds = [...(this.#bounds.get(histogram) ?? [])].map(([seconds, index]) => ({ seconds, index }))
    return bounds.toSorted((one, other) => one.seconds - other.seconds)
  }
}

/** Counts of one look at the gateway, by router; `ALL_ROUTERS` holds the sums. */
export class RouterCounts {
  readonly #routers = new Map([[ALL_ROUTERS, emptyCounts(ALL_ROUTERS)]])
  #characters = 0

  get(router: string): Counts | undefined {
    return this.#routers.get(router)
  }

  values(): Iterable<Counts> {
    return this.#routers.values()
  }

  /** Returns the counts of a router, with the name of the `former` look; undefined where no further router has room. */
  of(router: string, former: RouterCounts | undefined): Counts | undefined {
    const known = this.#routers.get(router)
    if (known !== undefined) return known
    const characters = this.#characters + router.length
    if (this.#routers.size > MOST_ROUTERS || router.length > MOST_NAME || characters > MOST_NAMES) return undefined
    const counts = emptyCounts(former?.get(router)?.name ?? ownText(router))
    this.#routers.set(counts.name, counts)
    this.#characters = characters
    return counts
  }
}

export type SampleContext = { readonly bounds: BucketBounds; readonly former: RouterCounts | undefined }

export function addSample(
  routers: RouterCounts,
  { name, labels, value }: Sample,
  { bounds, former }: SampleContext,
): void {
  const own = routers.of(labels.get('router') ?? 'none', former)
  const all = routers.of(ALL_ROUTERS, former)
  const histogram = HISTOGRAMS.get(name)
  const index = histogram === undefined ? undefined : bounds.index(histogram, secondsOf(labels.get('le')))
  for (const counts of [own, all]) {
    if (counts === undefined) continue
    if (name === REQUESTS) {
      counts.requests += value
      if ((labels.get('error_type') ?? '') !== '') counts.errors += value
    } else if (name === TOKENS) {
      if (labels.get('gen_ai_token_type') === 'input') counts.inputTokens += value
      if (labels.get('gen_ai_token_type') === 'output') counts.outputTokens += value
    } else if (index !== undefined) {
      while (counts.buckets.length <= index) counts.buckets.push(0)
      counts.buckets[index] = (counts.buckets[index] ?? 0) + value
    }
  }
}

export function emptyCounts(name: string): Counts {
  return { name, requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, buckets: [] }
}

function secondsOf(le = ''): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
}
