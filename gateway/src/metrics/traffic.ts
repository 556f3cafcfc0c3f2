import { type Family, histogramSamples, sample } from './exposition.ts'
import type { Histogram } from './histogram.ts'
import { ProcessorSeries } from './processor-series.ts'
import { RouterSeries } from './router-series.ts'
import { SeriesMap } from './series-map.ts'

const MAX_ROUTERS = 20_000
const MAX_PROCESSORS = 1_000

/** The counters of each router and each processor. */
export class Traffic {
  readonly routers = new SeriesMap(MAX_ROUTERS, (router) => new RouterSeries(router))
  readonly processors = new SeriesMap(MAX_PROCESSORS, (processor) => new ProcessorSeries(processor))

  families(): readonly Family[] {
    const { routers, processors } = this
    return [
      {
        name: 'llm_gateway_requests_total',
        help: 'Finished requests by router, status and error_type (empty without an error).',
        type: 'counter',
        *samples() {
          for (const series of routers) {
            for (const { labels, count } of series.outcomes()) yield sample('llm_gateway_requests_total', labels, count)
          }
        },
      },
      this.#perRouter(
        'llm_gateway_request_seconds',
        'Seconds from the head of a request to the end of its answer.',
        'request',
      ),
      this.#perRouter(
        'llm_gateway_overhead_seconds',
        'Seconds of a request outside the call to the LLM API.',
        'overhead',
      ),
      {
        name: 'llm_gateway_processor_seconds',
        help: 'Seconds of calls to processors, by outcome.',
        type: 'histogram',
        *samples() {
          for (const series of processors) {
            for (const [labels, histogram] of series.histograms()) {
              yield histogramSamples('llm_gateway_processor_seconds', labels, histogram)
            }
          }
        },
      },
      {
        name: 'gen_ai_client_token_usage',
        help: 'Tokens of a call, as its answer reports them.',
        type: 'histogram',
        samples: () => this.#tokenSamples(),
      },
      this.#perRouter(
        'gen_ai_server_request_duration',
        'Seconds until the answer of the LLM API was complete.',
        'server',
      ),
      this.#perRouter(
        'gen_ai_server_time_to_first_token',
        'Seconds until the first byte of a streamed answer.',
        'firstToken',
      ),
    ]
  }

  #perRouter(name: string, help: string, measure: 'request' | 'overhead' | 'server' | 'firstToken'): Family {
    const { routers } = this
    return {
      name,
      help,
      type: 'histogram',
      *samples() {
        for (const series of routers) yield* present(name, series.labels, series.histogram(measure))
      },
    }
  }

  *#tokenSamples(): Generator<string, void, undefined> {
    for (const series of this.routers) {
      for (const type of ['input', 'output'] as const) {
        const labels = `${series.labels},gen_ai_token_type="${type}"`
        yield* present('gen_ai_client_token_usage', labels, series.histogram(type))
      }
    }
  }
}

function present(name: string, labels: string, histogram: Histogram | undefined): readonly string[] {
  return histogram === undefined ? [] : [histogramSamples(name, labels, histogram)]
}
