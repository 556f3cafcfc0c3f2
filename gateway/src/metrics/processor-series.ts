import { PROCESSOR_SECONDS } from './buckets.ts'
import { labelsOf } from './exposition.ts'
import { Histogram } from './histogram.ts'

export type ProcessorOutcome = 'completed' | 'nothing' | 'failed'

/** How long one processor took, by what came of it. */
export class ProcessorSeries {
  readonly #processor: string
  readonly #histograms = new Map<ProcessorOutcome, Histogram>()

  constructor(processor: string) {
    this.#processor = processor
  }

  called(outcome: ProcessorOutcome, seconds: number): void {
    let histogram = this.#histograms.get(outcome)
    if (histogram === undefined) {
      histogram = new Histogram(PROCESSOR_SECONDS)
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
