import type { AskPod } from '../kube/ask-pod.ts'
import type { Pod } from '../kube/decode.ts'
import type { ObservedPod } from '../model/snapshot.ts'
import type { Limit } from './limit.ts'
import { Nudge } from './nudge.ts'
import { PodWatch, type Target } from './pod-watch.ts'

export type GatewayDeliveryOptions = {
  readonly pods: () => readonly Pod[]
  readonly ask: AskPod
  readonly limit: Limit
  readonly annotate: (pod: Pod, value: string) => Promise<void>
  /** Something that the statuses depend on changed, and it is time to say so. */
  readonly changed: () => void
  /** The last nudge was in vain. */
  readonly gaveUp: (pods: readonly Pod[]) => void
}

/** The operator nudges a gateway's pods once a second at most: the kubelet lists its containers no more often. */
const LEAST_BETWEEN_MS = 1_000
/** A status waits this long for the answers of pods. */
const PATIENCE_MS = 2_000

/** Brings one gateway's configuration into its pods: nudges them and asks what they have. */
export class GatewayDelivery {
  readonly #options: GatewayDeliveryOptions
  readonly #watch: PodWatch
  readonly #nudge: Nudge
  #target: Target | undefined
  #patientUntil = Number.NEGATIVE_INFINITY
  #aimedAt = Number.NEGATIVE_INFINITY

  constructor(options: GatewayDeliveryOptions) {
    this.#options = options
    this.#watch = new PodWatch({ ...options, changed: () => this.#changed() })
    this.#nudge = new Nudge({
      lagging: () => this.#watch.lagging(),
      annotate: options.annotate,
      gaveUp: options.gaveUp,
    })
  }

  aim(target: Target): void {
    const { digest, valuesRevision } = this.#target ?? {}
    const wasSettled = this.settled
    this.#target = target
    this.#watch.aim(target)
    if (digest === target.digest && valuesRevision === target.valuesRevision) return
    const now = performance.now()
    this.#aimedAt = now
    // Edits that never stop must not put the status off for good.
    if (wasSettled || this.#patientUntil <= now) this.#patientUntil = now + PATIENCE_MS
    this.#nudge.start(target.digest)
  }

  /**
   * For how long nothing new is to be written. Pods are nudged once a second, so what is written in between is only seen by
   * chance: while the kubelet reads, and half of it perhaps.
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

  /** For how long a status still waits for the pods' answers; nobody is kept waiting for that. */
  get patienceMs(): number {
    return this.settled ? 0 : Math.max(0, this.#patientUntil - performance.now())
  }

  close(): void {
    this.#watch.close()
    this.#nudge.close()
  }

  #changed(): void {
    if (this.#target !== undefined && this.#watch.lagging().length > 0) this.#nudge.keepGoing(this.#target.digest)
    // One status for all of them: it is written when the last one answered, or patience is over.
    if (this.patienceMs === 0) this.#options.changed()
  }
}
