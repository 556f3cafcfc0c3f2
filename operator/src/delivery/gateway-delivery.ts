import type { AskPod } from '../kube/ask-pod.ts'
import type { Pod } from '../kube/decode.ts'
import type { ObservedPod } from '../model/snapshot.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { Nudge } from './nudge.ts'
import { PodWatch, type WantedConfiguration } from './pod-watch.ts'

export type GatewayDeliveryOptions = {
  readonly pods: () => readonly Pod[]
  readonly ask: AskPod
  readonly limit: ConcurrencyLimit
  readonly annotate: (pod: Pod, value: string) => Promise<void>
  /** Called when pods reported something new and the statuses should be written. */
  readonly changed: () => void
  /** Called with an unexpected failure. One pod must not end the operator. */
  readonly failed: (error: unknown) => void
  /** Called when pods still lag after the last nudge. */
  readonly gaveUp: (pods: readonly Pod[]) => void
}

/** Nudges of a gateway's pods are at least this far apart: the kubelet lists its containers once a second. */
const LEAST_BETWEEN_MS = 1_000
/** A status waits at most this long for the answers of pods. */
const PATIENCE_MS = 2_000

/** Brings one gateway's configuration into its pods: nudges them and asks for their configuration. */
export class GatewayDelivery {
  readonly #options: GatewayDeliveryOptions
  readonly #watch: PodWatch
  readonly #nudge: Nudge
  #target: WantedConfiguration | undefined
  #patientUntil = Number.NEGATIVE_INFINITY
  #aimedAt = Number.NEGATIVE_INFINITY

  constructor(options: GatewayDeliveryOptions) {
    this.#options = options
    this.#watch = new PodWatch({ ...options, changed: () => this.#changed() })
    this.#nudge = new Nudge({
      lagging: () => this.#watch.lagging(),
      annotate: options.annotate,
      gaveUp: options.gaveUp,
      failed: options.failed,
    })
  }

  aim(target: WantedConfiguration): void {
    const { digest, valuesRevision } = this.#target ?? {}
    const wasSettled = this.settled
    this.#target = target
    this.#watch.aim(target)
    if (digest === target.digest && valuesRevision === target.valuesRevision) return
    const now = performance.now()
    this.#aimedAt = now
    // A wait that has begun isn't extended, since endless edits would delay the status forever.
    if (wasSettled || this.#patientUntil <= now) this.#patientUntil = now + PATIENCE_MS
    this.#nudge.start(target.digest)
  }

  /**
   * Asks the pods of a gateway whose configuration isn't written now: it is paused, or the write was refused. Without
   * the answers its statuses would know nothing of the pods after a restart of the operator.
   */
  look(translated: Pick<WantedConfiguration, 'digest' | 'entries'>): void {
    this.#watch.look(translated)
  }

  /**
   * The ms during which no new configuration is to be written. Pods are nudged once a second, and between two nudges
   * the kubelet might read half of a new write.
   */
  get holdMs(): number {
    return Math.max(0, this.#aimedAt + LEAST_BETWEEN_MS - performance.now())
  }

  podsChanged(): void {
    this.#watch.refresh()
  }

  observed(): readonly ObservedPod[] {
    return this.#watch.observed()
  }

  get settled(): boolean {
    return this.#watch.settled
  }

  get everywhere(): boolean {
    return this.#watch.everywhere
  }

  /** The ms for which a status still waits for the pods' answers. No worker waits with it. */
  get patienceMs(): number {
    return this.settled ? 0 : Math.max(0, this.#patientUntil - performance.now())
  }

  close(): void {
    this.#watch.close()
    this.#nudge.close()
  }

  #changed(): void {
    if (this.#target !== undefined && this.#watch.lagging().length > 0) this.#nudge.keepGoing(this.#target.digest)
    // One status covers all answers. The status is written after the last pod's answer, or when the wait is over.
    if (this.patienceMs === 0) this.#options.changed()
  }
}
