import { isDeepStrictEqual } from 'node:util'
import type { AskPod } from '../kube/ask-pod.ts'
import type { Pod } from '../kube/decode.ts'
import type { ObservedPod, PodReport } from '../model/snapshot.ts'
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'

/** The configuration that pods should have. */
export type WantedConfiguration = {
  readonly digest: string
  readonly valuesRevision: string
  readonly entries: ReadonlyMap<string, string>
}

export type PodWatchOptions = {
  readonly pods: () => readonly Pod[]
  readonly ask: AskPod
  readonly limit: ConcurrencyLimit
  /** Called when a pod came, went or reported something new. */
  readonly changed: () => void
  /** Called with an unexpected failure. Its pod counts as unreachable and is asked again. */
  readonly failed: (error: unknown) => void
}

type KnownPod = {
  report: PodReport
  /** performance.now(); undefined: the pod has the target, or answered while there is none. */
  lagsSince: number | undefined
  askAt: number
  askAfterMs: number
  asking: boolean
}

/** Half of all edits reach a pod within 0.13 s after its nudge, so an earlier request would mostly be in vain. */
const FIRST_MS = 100
/** A pod that lags for long is starting or out of reach. More requests wouldn't speed it up. */
const MAX_MS = 2_000
/** The first requests are close together, since a change is likely then. The eighth reaches the longest wait. */
const GROWTH = 1.5
const AT_REST_MS = 60_000
/** An answer that is too long costs a connection and its first part, and the next answer is most likely as long. */
const TOO_LONG_MS = 15_000
/** The most concurrent requests of one gateway, so that its silent pods don't use up the limit of all gateways. */
const SHARE = 5

/**
 * Asks pods for their configuration: pods that lag soon and repeatedly, the others once a minute
 * (docs/reference/kubernetes.md#delivery).
 */
export class PodWatch {
  readonly #options: PodWatchOptions
  readonly #memory = new EntriesMemory()
  readonly #limit = createConcurrencyLimit(SHARE)
  readonly #known = new Map<string, KnownPod>()
  #target: WantedConfiguration | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: PodWatchOptions) {
    this.#options = options
  }

  aim(target: WantedConfiguration): void {
    const same = this.#target?.digest === target.digest && this.#target.valuesRevision === target.valuesRevision
    this.#target = target
    this.#memory.set(target.digest, target.entries)
    if (same) return
    for (const known of this.#known.values()) this.#judge(known)
    this.refresh()
  }

  /** Asks pods without a new target. Those that report this digest have these entries. */
  look({ digest, entries }: Pick<WantedConfiguration, 'digest' | 'entries'>): void {
    this.#memory.set(digest, entries)
    this.refresh()
  }

  /** Takes over the current pods. New pods are asked at once. */
  refresh(): void {
    const pods = this.#pods()
    const uids = new Set(pods.map(({ metadata }) => metadata.uid))
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid)
    for (const { metadata } of pods) {
      if (this.#known.has(metadata.uid)) continue
      const known: KnownPod = {
        report: { kind: 'unknown' },
        lagsSince: undefined,
        askAt: performance.now(),
        askAfterMs: FIRST_MS,
        asking: false,
      }
      this.#known.set(metadata.uid, known)
      this.#judge(known)
    }
    this.#schedule()
  }

  observed(): readonly ObservedPod[] {
    return this.#pods().map(({ metadata, ready }) => {
      const { report, lagsSince } = this.#known.get(metadata.uid) ?? UNKNOWN
      return { name: metadata.name, ready, report, lagMs: lagsSince === undefined ? 0 : performance.now() - lagsSince }
    })
  }

  /** Returns the pods that reported another configuration than the target. */
  lagging(): readonly Pod[] {
    return this.#pods().filter(({ metadata }) => {
      const known = this.#known.get(metadata.uid)
      return known?.lagsSince !== undefined && known.report.kind === 'reported'
    })
  }

  /** True when every ready pod has the target. */
  get settled(): boolean {
    const ready = this.#pods().filter((pod) => pod.ready)
    return ready.every(({ metadata }) => this.#known.get(metadata.uid)?.lagsSince === undefined)
  }

  /**
   * True when every pod that may take or hold calls has the target, whether or not it is ready. While a pod terminates,
   * the value is false, since that pod keeps its configuration.
   */
  get everywhere(): boolean {
    return this.#options
      .pods()
      .filter(({ running }) => running)
      .every(({ metadata: { uid, deletionTimestamp } }) => {
        return deletionTimestamp === undefined && this.#known.get(uid)?.lagsSince === undefined
      })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Terminating pods take no more calls. */
  #pods(): readonly Pod[] {
    return this.#options
      .pods()
      .filter(({ metadata, running, address }) => running && address !== '' && metadata.deletionTimestamp === undefined)
  }

  #judge(known: KnownPod): void {
    const current = this.#has(known.report)
    if (current) known.lagsSince = undefined
    else known.lagsSince ??= performance.now()
    known.askAfterMs = current ? AT_REST_MS : FIRST_MS
    known.askAt = Math.min(known.askAt, performance.now() + known.askAfterMs)
  }

  #has(report: PodReport): boolean {
    if (report.kind !== 'reported') return false
    // Without a target a pod that answers lags behind nothing, so it is asked once a minute only.
    if (this.#target === undefined) return true
    const { digest, valuesRevision } = this.#target
    // Revisions only grow, so a pod may be ahead.
    return report.digest === digest && Number(report.valuesRevision) >= Number(valuesRevision)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    const next = Math.min(...[...this.#known.values()].filter(({ asking }) => !asking).map(({ askAt }) => askAt))
    if (!Number.isFinite(next)) return
    this.#timer = setTimeout(() => this.#askDue(), Math.max(0, next - performance.now()))
  }

  #askDue(): void {
    const now = performance.now()
    for (const pod of this.#pods()) {
      const known = this.#known.get(pod.metadata.uid)
      if (known === undefined || known.asking || known.askAt > now + 1) continue
      known.asking = true
      void this.#ask(pod, known).catch(this.#options.failed)
    }
    this.#schedule()
  }

  async #ask(pod: Pod, known: KnownPod): Promise<void> {
    let report: PodReport = { kind: 'unreachable' }
    try {
      report = await this.#limit(() => this.#options.limit(() => this.#reportOf(pod, known.report)))
    } catch (error) {
      // A pod that stayed `asking` would never be asked again.
      this.#options.failed(error)
    }
    known.asking = false
    if (this.#closed) return
    const news = !isSameReport(report, known.report)
    known.report = report
    const lagged = known.lagsSince !== undefined
    const current = this.#has(report)
    if (current) known.lagsSince = undefined
    else known.lagsSince ??= performance.now()
    const atRest = current && report.kind === 'reported' && hasBus(report)
    const soon = Math.min(MAX_MS, Math.min(MAX_MS, known.askAfterMs) * (lagged ? GROWTH : 1))
    const isTooLong = report.kind === 'unreachable' && report.tooLong === true
    known.askAfterMs = atRest ? AT_REST_MS : isTooLong ? TOO_LONG_MS : soon
    known.askAt = performance.now() + known.askAfterMs
    this.#schedule()
    if (news) this.#options.changed()
  }

  async #reportOf(pod: Pod, before: PodReport): Promise<PodReport> {
    const report = await this.#options.ask(pod, { entries: false })
    if (report.kind !== 'reported') return report
    // Entries of an unknown digest count for this pod alone, so that no pod speaks for another.
    const own = before.kind === 'reported' && before.digest === report.digest ? before.entries : undefined
    const entries = this.#memory.get(report.digest) ?? own
    if (entries !== undefined) return { ...report, entries }
    // Without Routers there is nothing to compare.
    if (this.#memory.most === 0) return report
    const whole = await this.#options.ask(pod, { entries: true, routers: this.#memory.most })
    if (whole.kind !== 'reported' || whole.entries === undefined) return whole
    return { ...whole, entries: this.#memory.knownIn(whole.entries) }
  }
}

/**
 * A pod without the bus, or that doesn't know its stream yet, is asked again soon, since Ready and RecordsDurable wait
 * for it.
 */
function hasBus({ busConnected, records }: Extract<PodReport, { kind: 'reported' }>): boolean {
  return busConnected && records?.stream !== 'unknown'
}

/** Compares the entries by their identity: those of a known digest are kept, and a list of thousands takes long. */
function isSameReport(one: PodReport, other: PodReport): boolean {
  if (one.kind !== 'reported' || other.kind !== 'reported') return isDeepStrictEqual(one, other)
  if (one.digest !== other.digest || one.entries !== other.entries) return false
  return isDeepStrictEqual({ ...one, entries: undefined }, { ...other, entries: undefined })
}

const UNKNOWN: Pick<KnownPod, 'report' | 'lagsSince'> = { report: { kind: 'unknown' }, lagsSince: undefined }

/** Remembers the entries of the last configurations, so that few pods have to be asked for theirs. */
class EntriesMemory {
  readonly #mostDigests = 16
  readonly #entries = new Map<string, ReadonlyMap<string, string>>()

  /** The number of entries of the largest configuration. */
  get most(): number {
    return Math.max(0, ...[...this.#entries.values()].map(({ size }) => size))
  }

  get(digest: string): ReadonlyMap<string, string> | undefined {
    return this.#entries.get(digest)
  }

  /**
   * Returns the entries of known paths, in the texts of this memory. A pod may run any program, and the rest of its
   * answer is compared with nothing.
   */
  knownIn(theirs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const kept = new Map<string, string>()
    for (const entries of [...this.#entries.values()].reverse()) {
      for (const [path, hash] of entries) {
        const their = theirs.get(path)
        if (their !== undefined && !kept.has(path)) kept.set(path, their === hash ? hash : their)
      }
    }
    return kept
  }

  set(digest: string, entries: ReadonlyMap<string, string>): void {
    this.#entries.delete(digest)
    this.#entries.set(digest, entries)
    const oldest = this.#entries.keys().next().value
    if (this.#entries.size > this.#mostDigests && oldest !== undefined) this.#entries.delete(oldest)
  }
}
