import type { AskPod } from '../kube/ask-pod.ts'
import type { Pod } from '../kube/decode.ts'
import type { ObservedPod } from '../snapshot.ts'
import type { Limit } from './limit.ts'
import { Nudge } from './nudge.ts'
import { PodWatch, type Target } from './pod-watch.ts'

export type GatewayDeliveryOptions = {
  readonly pods: () => readonly Pod[]
  readonly ask: AskPod
  readonly limit: Limit
  readonly annotate: (pod: Pod, value: string) => Promise<void>
  /** Something that the statuses depend on changed while nobody waited for it. */
  readonly changed: () => void
  /** The last nudge was in vain. */
  readonly gaveUp: (pods: readonly Pod[]) => void
}

/** A gateway's pods are nudged no more often than once a second (kubernetes, 3). */
const LEAST_BETWEEN_MS = 1_000

/** Brings one gateway's configuration into its pods: nudges them and asks what they have. */
export class GatewayDelivery {
  readonly #options: GatewayDeliveryOptions
  readonly #watch: PodWatch
  readonly #nudge: Nudge
  #target: Target | undefined
  #waiting: (() => void) | undefined
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
    this.#target = target
    this.#watch.aim(target)
    if (digest === target.digest && valuesRevision === target.valuesRevision) return
    this.#aimedAt = performance.now()
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
    this.#waiting?.()
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

  /** Waits until every ready pod has it, the time is over or nobody wants to know any more. */
  async settle({ timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void> {
    if (this.#watch.settled || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeoutMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    this.#waiting = () => {
      if (this.#watch.settled) resolve()
    }
    await promise
    this.#waiting = undefined
    clearTimeout(timer)
  }

  close(): void {
    this.#watch.close()
    this.#nudge.close()
  }

  #changed(): void {
    if (this.#target !== undefined && this.#watch.lagging().length > 0) this.#nudge.keepGoing(this.#target.digest)
    if (this.#waiting === undefined) this.#options.changed()
    else this.#waiting()
  }
}
