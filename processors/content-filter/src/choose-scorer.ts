import type { ProcessorContext } from '@llm-gateway/sdk'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { createEndpointScorer } from './endpoint-scorer.ts'
import { createOnnxScorer } from './onnx-scorer.ts'
import type { Scorer } from './scores.ts'
import type { ContentFilterSettings } from './settings.ts'

/** The scorer that the settings name; throws a SettingsError where it can't be had. */
export async function chooseScorer(
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
