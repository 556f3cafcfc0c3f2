import { labelsOf } from './exposition.ts'
import { Histogram } from './histogram.ts'
import { FIRST_TOKEN_BOUNDS, OVERHEAD_BOUNDS, REQUEST_BOUNDS, SERVER_BOUNDS, TOKEN_BOUNDS } from './processor-series.ts'

/** The number of a router's requests with one status and error type. */
type RequestCounter = { readonly status: string; readonly errorType: string; count: number }

/** The most pairs of status and error type of a router, since an upstream may invent statuses. */
const MAX_OUTCOMES = 100

/** The counters of one router; each histogram is created at its first observation. */
export class RouterSeries {
  readonly labels: string
  readonly #outcomes = new Map<string, Map<number, RequestCounter>>()
  #outcomeCount = 0
  #others: RequestCounter | undefined
  #request: Histogram | undefined
  #overhead: Histogram | undefined
  #server: Histogram | undefined
  #firstToken: Histogram | undefined
  readonly #tokens: { input?: Histogram; output?: Histogram } = {}

  constructor(router: string) {
    this.labels = labelsOf({ router })
  }

  requestEnded(status: number, errorType: string, seconds: number, overheadSeconds: number | undefined): void {
    this.#outcomeOf(status, errorType).count++
    this.#request ??= new Histogram(REQUEST_BOUNDS)
    this.#request.observe(seconds)
    if (overheadSeconds === undefined) return
    this.#overhead ??= new Histogram(OVERHEAD_BOUNDS)
    this.#overhead.observe(overheadSeconds)
  }

  upstreamAnswered(seconds: number, secondsToFirstToken: number | undefined): void {
    this.#server ??= new Histogram(SERVER_BOUNDS)
    this.#server.observe(seconds)
    if (secondsToFirstToken === undefined) return
    this.#firstToken ??= new Histogram(FIRST_TOKEN_BOUNDS)
    this.#firstToken.observe(secondsToFirstToken)
  }

  tokensUsed(type: 'input' | 'output', tokens: number): void {
    this.#tokens[type] ??= new Histogram(TOKEN_BOUNDS)
    this.#tokens[type].observe(tokens)
  }

  /** The labels are made for each scrape: a router's long path stands in memory once and not for each outcome. */
  *outcomes(): Generator<{ readonly labels: string; readonly count: number }, void, undefined> {
    for (const { status, errorType, count } of this.#counters()) {
      yield { labels: `${this.labels},${labelsOf({ status, error_type: errorType })}`, count }
    }
  }

  *#counters(): Generator<RequestCounter, void, undefined> {
    for (const byStatus of this.#outcomes.values()) yield* byStatus.values()
    if (this.#others !== undefined) yield this.#others
  }

  histogram(measure: 'request' | 'overhead' | 'server' | 'firstToken' | 'input' | 'output'): Histogram | undefined {
    switch (measure) {
      case 'request':
        return this.#request
      case 'overhead':
        return this.#overhead
      case 'server':
        return this.#server
      case 'firstToken':
        return this.#firstToken
      case 'input':
      case 'output':
        return this.#tokens[measure]
      default:
        return measure satisfies never
    }
  }

  #outcomeOf(status: number, errorType: string): RequestCounter {
    const known = this.#outcomes.get(errorType)?.get(status)
    if (known !== undefined) return known
    if (this.#outcomeCount >= MAX_OUTCOMES) {
      this.#others ??= { status: 'other', errorType: 'other', count: 0 }
      return this.#others
    }
    this.#outcomeCount++
    const outcome = { status: `${status}`, errorType, count: 0 }
    const byStatus = this.#outcomes.get(errorType) ?? new Map<number, RequestCounter>()
    byStatus.set(status, outcome)
    this.#outcomes.set(errorType, byStatus)
    return outcome
  }
}
