import { labelsOf } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** Upper bounds in seconds. The range covers errors of the gateway itself and calls of `outbound_timeout_ms`. */
export const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const

export const OVERHEAD_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1] as const

const PROCESSOR_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const

// The bounds of OpenTelemetry's semantic conventions for generative AI metrics, for which dashboards exist.
export const TOKEN_BOUNDS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
] as const

export const SERVER_BOUNDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const

export const FIRST_TOKEN_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const

export type ProcessorOutcome = 'completed' | 'nothing' | 'failed'

/** The durations of one processor's calls by outcome. */
export class ProcessorSeries {
  readonly #processor: string
  readonly #histograms = new Map<ProcessorOutcome, Histogram>()

  constructor(processor: string) {
    this.#processor = processor
  }

  called(outcome: ProcessorOutcome, seconds: number): void {
    let histogram = this.#histograms.get(outcome)
    if (histogram === undefined) {
      histogram = new Histogram(PROCESSOR_BOUNDS)
      this.#histograms.set(outcome, histogram)
    }
    histogram.observe(seconds)
  }

  *histograms(): Generator<readonly [labels: string, Histogram], void, undefined> {
    for (const [outcome, histogram] of this.#histograms) {
      yield [labelsOf({ processor: this.#processor, outcome }), histogram]
    }
  }
}
