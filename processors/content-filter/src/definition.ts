import type { ProcessorContext, ProcessorDefinition } from '@llm-gateway/sdk'
import { Counter, type Registry } from 'prom-client'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { type ContentFilterOptions, createConclusion, createContentFilter } from './content-filter.ts'
import { createEndpointScorer } from './endpoint-scorer.ts'
import type { FilterReading } from './filter-reading.ts'
import { createOnnxScorer } from './onnx-scorer.ts'
import { CATEGORIES, type Scorer, type Scores } from './scores.ts'
import { type ContentFilterSettings, contentFilterSettings } from './settings.ts'

/**
 * The bodies of a router at the model, of up to 16 KiB and of the longer ones. A body asks for one window at a time, so
 * that the routers take turns at the model: with one place each, a router waits for two windows of each other router.
 */
const OF_ROUTER = 1

/**
 * Defines the processor that scores callers' texts and rejects those over the threshold
 * (docs/reference/processors.md#content-filter).
 */
export function contentFilter(version: string): ProcessorDefinition<ContentFilterSettings> {
  return {
    name: 'contentfilter',
    version,
    settings: contentFilterSettings,
    variables: { THRESHOLD: 'threshold', REJECT_STATUS: 'reject_status' },
    create: async (settings, context) => {
      const scorer = await chooseScorer(settings, context)
      const options: ContentFilterOptions = {
        scorer,
        threshold: settings.threshold,
        action: settings.action,
        rejectStatus: settings.reject_status,
        texts: settings.texts,
        maxCharacters: settings.max_characters,
        timeoutMs: settings.timeout_ms,
        scored: createFilterMetrics(context.metrics, settings.threshold),
      }
      const reading: FilterReading = {
        texts: settings.texts,
        maxCharacters: settings.max_characters,
        isScored: settings.scorer === 'built_in',
      }
      const program = new URL('./message-thread.ts', import.meta.url)
      return {
        answer: createContentFilter(options),
        large: { program, data: reading, conclude: createConclusion(options) },
        ...(settings.scorer === 'onnx' ? { ofRouter: OF_ROUTER } : {}),
        ready: () => scorer.ready?.() !== false,
        close: () => scorer.close(),
      }
    },
  }
}

/** Makes the configured scorer; throws a SettingsError when it can't be made. */
async function chooseScorer(
  { scorer, onnx, endpoint }: ContentFilterSettings,
  { logger }: Pick<ProcessorContext, 'logger'>,
): Promise<Scorer> {
  switch (scorer) {
    case 'built_in':
      return createBuiltInScorer()
    case 'onnx':
      return await createOnnxScorer(onnx, logger)
    case 'endpoint':
      return createEndpointScorer(endpoint)
    default:
      return scorer satisfies never
  }
}

/** Counts scored requests by verdict, and by the categories over the threshold. */
function createFilterMetrics(registry: Registry, threshold: number): (scores: Scores, isToxic: boolean) => void {
  const registers = [registry]
  const requests = new Counter({
    name: 'llm_content_filter_requests_total',
    help: 'Requests that were scored, by verdict',
    labelNames: ['verdict'],
    registers,
  })
  const over = new Counter({
    name: 'llm_content_filter_over_threshold_total',
    help: 'Scored requests, by each category whose score was over the threshold',
    labelNames: ['category'],
    registers,
  })
  for (const verdict of ['toxic', 'clean']) requests.inc({ verdict }, 0)
  for (const category of CATEGORIES) over.inc({ category }, 0)
  return (scores, isToxic) => {
    requests.inc({ verdict: isToxic ? 'toxic' : 'clean' })
    for (const category of CATEGORIES) if (scores[category] > threshold) over.inc({ category })
  }
}
