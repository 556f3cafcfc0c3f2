import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { chooseScorer } from './choose-scorer.ts'
import { createContentFilter } from './content-filter.ts'
import { createFilterMetrics } from './metrics.ts'
import { type ContentFilterSettings, contentFilterSettings } from './settings.ts'

/** The processor that scores what callers ask and rejects what scores over the threshold (specification, processors; wire, 6). */
export function contentFilter(version: string): ProcessorDefinition<ContentFilterSettings> {
  return {
    name: 'contentfilter',
    version,
    settings: contentFilterSettings,
    variables: { THRESHOLD: 'threshold', REJECT_STATUS: 'reject_status' },
    create: async (settings, context) => {
      const scorer = await chooseScorer(settings)
      return {
        answer: createContentFilter({
          scorer,
          threshold: settings.threshold,
          action: settings.action,
          rejectStatus: settings.reject_status,
          texts: settings.texts,
          maxCharacters: settings.max_characters,
          timeoutMs: settings.timeout_ms,
          scored: createFilterMetrics(context.metrics, settings.threshold),
        }),
        close: () => scorer.close(),
      }
    },
  }
}
