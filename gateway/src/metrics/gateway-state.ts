import { type Family, labelsOf, sample } from './exposition.ts'

export type RouterCounts = {
  readonly active: number
  readonly rejected: number
  readonly disabled: number
  readonly internal: number
}
export type Gauges = {
  queueBytes(): number
  /** `limits.record_queue_bytes` */
  readonly queueLimitBytes: number
  heldBytes(): number
  /** `limits.buffered_bytes` */
  readonly heldLimitBytes: number
  /** True while the configuration file is unusable and an older configuration runs. */
  reloadFailed(): boolean
  busConnected(): boolean
  inflight(): number
  /** The records that the bus's stream has acknowledged since the start. */
  acknowledged(): number
  spooledBytes(): number
  /** The age of the oldest record on disk; 0 where there is none. */
  oldestSpooledSeconds(): number
}

const MAX_REASONS = 16

/**
 * The counters of the whole gateway. Counters that alerts watch begin at 0, so that their first increase is visible.
 */
export class GatewayState {
  #published = 0
  #waited = 0
  readonly #lost = new Map([
    ['queue_full', 0],
    ['exit', 0],
    ['too_large', 0],
    ['no_subscriber', 0],
    ['damaged', 0],
    ['removed', 0],
    ['refused', 0],
  ])
  readonly #reloads = { ok: 0, failed: 0, waiting: 0 }
  #live: { readonly digest: string; readonly routers: RouterCounts; readonly sinceSeconds: number } | undefined
  #gauges: Gauges | undefined
  readonly #now: () => number

  /** @param now milliseconds since the epoch */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  recordsPublished(count: number): void {
    this.#published += count
  }

  recordWaited(): void {
    this.#waited += 1
  }

  recordsLost(count: number, reason: string): void {
    const label = this.#lost.has(reason) || this.#lost.size < MAX_REASONS ? reason : 'other'
    this.#lost.set(label, (this.#lost.get(label) ?? 0) + count)
  }

  reloaded(result: 'ok' | 'failed' | 'waiting'): void {
    this.#reloads[result]++
  }

  configLive(digest: string, routers: RouterCounts): void {
    this.#live = { digest, routers, sinceSeconds: this.#now() / 1_000 }
  }

  gauges(read: Gauges): void {
    this.#gauges = read
  }

  families(): readonly Family[] {
    return [
      counter('llm_gateway_records_total', 'Records by result: published on the bus, or lost with a reason.', () => [
        { labels: labelsOf({ result: 'published', reason: '' }), value: this.#published },
        ...[...this.#lost].map(([reason, value]) => ({ labels: labelsOf({ result: 'lost', reason }), value })),
      ]),
      counter('llm_gateway_records_acknowledged_total', "Records that the bus's stream has acknowledged.", () =>
        single(this.#gauges?.acknowledged() ?? 0),
      ),
      counter('llm_gateway_record_waits_total', 'Calls and records that waited for room in the record queue.', () =>
        single(this.#waited),
      ),
      counter('llm_gateway_reloads_total', 'Configuration reloads by result.', () =>
        Object.entries(this.#reloads).map(([result, value]) => ({ labels: labelsOf({ result }), value })),
      ),
      gauge('llm_gateway_config_info', 'Digest of the live configuration; the value is always 1.', () =>
        this.#live === undefined ? [] : [{ labels: labelsOf({ digest: this.#live.digest }), value: 1 }],
      ),
      gauge(
        'llm_gateway_config_live_timestamp_seconds',
        'Unix time at which the live configuration was applied.',
        () => (this.#live === undefined ? [] : single(this.#live.sinceSeconds)),
      ),
      gauge(
        'llm_gateway_reload_failed',
        '1 while the configuration file is unusable and an older configuration runs, else 0.',
        () => single(this.#gauges?.reloadFailed() === true ? 1 : 0),
      ),
      gauge('llm_gateway_routers', 'Routers of the live configuration, by state.', () =>
        Object.entries(this.#live?.routers ?? {}).map(([state, value]) => ({ labels: labelsOf({ state }), value })),
      ),
      gauge('llm_gateway_record_queue_bytes', 'Bytes of records that wait for the bus.', () =>
        single(this.#gauges?.queueBytes() ?? 0),
      ),
      gauge('llm_gateway_records_spooled_bytes', 'Bytes of records on disk that wait for the bus.', () =>
        single(this.#gauges?.spooledBytes() ?? 0),
      ),
      gauge('llm_gateway_records_oldest_spooled_seconds', 'Age of the oldest record on disk, 0 without one.', () =>
        single(this.#gauges?.oldestSpooledSeconds() ?? 0),
      ),
      gauge(
        'llm_gateway_record_queue_limit_bytes',
        'Limit of the bytes of records that wait for the bus, limits.record_queue_bytes.',
        () => single(this.#gauges?.queueLimitBytes ?? 0),
      ),
      gauge('llm_gateway_buffered_bytes', 'Bytes that calls and their records hold.', () =>
        single(this.#gauges?.heldBytes() ?? 0),
      ),
      gauge('llm_gateway_buffered_limit_bytes', 'Limit of the bytes that calls hold, limits.buffered_bytes.', () =>
        single(this.#gauges?.heldLimitBytes ?? 0),
      ),
      gauge('llm_gateway_bus_connected', '1 while the bus is connected, else 0.', () =>
        single(this.#gauges?.busConnected() === true ? 1 : 0),
      ),
      gauge('llm_gateway_inflight_requests', 'Requests in progress.', () => single(this.#gauges?.inflight() ?? 0)),
    ]
  }
}

type Sample = { readonly labels: string; readonly value: number }

function single(value: number): readonly Sample[] {
  return [{ labels: '', value }]
}

function counter(name: string, help: string, read: () => readonly Sample[]): Family {
  return family(name, help, 'counter', read)
}

function gauge(name: string, help: string, read: () => readonly Sample[]): Family {
  return family(name, help, 'gauge', read)
}

function family(name: string, help: string, type: Family['type'], read: () => readonly Sample[]): Family {
  return { name, help, type, samples: () => read().map(({ labels, value }) => sample(name, labels, value)) }
}
