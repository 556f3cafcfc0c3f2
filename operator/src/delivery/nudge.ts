import { CONFIG_ANNOTATION } from '@llm-gateway/crds'
import type { Pod } from '../kube/decode.ts'

export type NudgeOptions = {
  /** Returns the pods that have another configuration than the target now. */
  readonly lagging: () => readonly Pod[]
  readonly annotate: (pod: Pod, value: string) => Promise<void>
  /** Called once for each digest, when pods still lag after the nudges of `againMs`. */
  readonly gaveUp: (pods: readonly Pod[]) => void
  /** Called with an unexpected failure. The next nudge comes as planned. */
  readonly failed: (error: unknown) => void
  readonly timings?: NudgeTimings
}

export type NudgeTimings = { readonly leastMs: number; readonly againMs: readonly number[]; readonly atRestMs: number }

const TIMINGS: NudgeTimings = {
  // The kubelet lists its containers once a second, so more nudges would gain nothing.
  leastMs: 1_000,
  // Waits before further nudges while a pod lags: a nudge can reach the kubelet before the ConfigMap does.
  againMs: [2_000, 4_000, 8_000, 16_000],
  // The wait before each later nudge while a pod lags: a kubelet may be away for hours and come back.
  atRestMs: 60_000,
}

/** Makes the kubelet refresh the volume now instead of within 90 s, by an annotation on each lagging pod. */
export class Nudge {
  readonly #options: NudgeOptions
  readonly #timings: NudgeTimings
  #digest = ''
  #lastAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  /** The number of nudges so far; undefined: no nudging goes on. */
  #round: number | undefined
  #closed = false

  constructor(options: NudgeOptions) {
    this.#options = options
    this.#timings = options.timings ?? TIMINGS
  }

  /** Starts nudging for a new configuration. */
  start(digest: string): void {
    if (this.#closed) return
    this.#digest = digest
    this.#round = 0
    this.#in(Math.max(0, this.#lastAt + this.#timings.leastMs - performance.now()))
  }

  /** Starts nudging for a pod that lags, unless nudging goes on. */
  keepGoing(digest: string): void {
    if (this.#round === undefined) this.start(digest)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #in(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.#nudge().catch(this.#options.failed)
    }, ms)
  }

  async #nudge(): Promise<void> {
    const pods = this.#options.lagging()
    const round = this.#round ?? 0
    const digest = this.#digest
    if (pods.length === 0) {
      this.#round = undefined
      return
    }
    const { againMs, atRestMs } = this.#timings
    if (round === againMs.length) this.#options.gaveUp(pods)
    const again = againMs[round]
    this.#lastAt = performance.now()
    this.#round = round + 1
    this.#in(again === undefined ? atRestMs : again - (againMs[round - 1] ?? 0))
    await Promise.all(pods.map((pod) => this.#options.annotate(pod, nextValue(pod, digest))))
  }
}

/**
 * Returns `<digest>`, or `<digest>/1`, `/2` … where the pod has that value: a patch without a change wakes no kubelet.
 */
function nextValue({ metadata }: Pod, digest: string): string {
  const before = metadata.annotations[CONFIG_ANNOTATION] ?? ''
  if (before === digest) return `${digest}/1`
  if (!before.startsWith(`${digest}/`)) return digest
  return `${digest}/${Number(before.slice(digest.length + 1)) + 1}`
}
