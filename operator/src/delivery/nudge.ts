import { CONFIG_ANNOTATION } from '@llm-gateway/crds'
import type { Pod } from '../kube/decode.ts'

export type NudgeOptions = {
  /** Pods that have something else than they are to have, now. */
  readonly lagging: () => readonly Pod[]
  readonly annotate: (pod: Pod, value: string) => Promise<void>
  /** Nudged again and again, in vain; told once for each digest. */
  readonly gaveUp: (pods: readonly Pod[]) => void
  readonly timings?: NudgeTimings
}

export type NudgeTimings = { readonly leastMs: number; readonly againMs: readonly number[]; readonly atRestMs: number }

const TIMINGS: NudgeTimings = {
  // More than one nudge a second would gain nothing: the kubelet lists its containers once a second.
  leastMs: 1_000,
  // After the first nudge, while a pod still has something else: a nudge can overtake the ConfigMap in the kubelet.
  againMs: [2_000, 4_000, 8_000, 16_000],
  // After those, for as long as a pod lags: a kubelet may be away for hours and come back.
  atRestMs: 60_000,
}

/** Makes the kubelet refresh the volume now instead of within 90 s, by an annotation on each pod that lags. */
export class Nudge {
  readonly #options: NudgeOptions
  readonly #timings: NudgeTimings
  #digest = ''
  #lastAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  /** How often it was nudged; undefined: nothing goes on. */
  #round: number | undefined
  #closed = false

  constructor(options: NudgeOptions) {
    this.#options = options
    this.#timings = options.timings ?? TIMINGS
  }

  /** There is something new to be had. */
  start(digest: string): void {
    if (this.#closed) return
    this.#digest = digest
    this.#round = 0
    this.#in(Math.max(0, this.#lastAt + this.#timings.leastMs - performance.now()))
  }

  /** A pod was found to lag: starts where nothing goes on. */
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
      void this.#nudge() // annotate handles its own failures
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

/** `<digest>`, and where it stands there already `<digest>/1`, `/2` …: a patch that changes nothing wakes nobody. */
function nextValue({ metadata }: Pod, digest: string): string {
  const before = metadata.annotations[CONFIG_ANNOTATION] ?? ''
  if (before === digest) return `${digest}/1`
  if (!before.startsWith(`${digest}/`)) return digest
  return `${digest}/${Number(before.slice(digest.length + 1)) + 1}`
}
