import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { chooseScorer } from './choose-scorer.ts'
import { type ContentFilterOptions, createConclusion, createContentFilter } from './content-filter.ts'
import type { FilterReading } from './filter-reading.ts'
import { createFilterMetrics } from './metrics.ts'
import { type ContentFilterSettings, contentFilterSettings } from './settings.ts'

/**
 * The processor that scores the texts of callers and rejects those over the threshold
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
        ready: () => scorer.ready?.() !== false,
        close: () => scorer.close(),
      }
    },
  }
}
