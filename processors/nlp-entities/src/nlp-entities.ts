import type { ProcessorContext, ProcessorDefinition, RunningProcessor } from '@llm-gateway/sdk'
import { createAnswerEntities, createConclusion } from './answer-entities.ts'
import { answerOptions } from './answer-options.ts'
import { endpointOptions } from './endpoint-options.ts'
import { createEndpointRecognizer } from './endpoint-recognizer.ts'
import type { Recognizer } from './entity.ts'
import { type NlpEntitiesSettings, nlpEntitiesSettings } from './settings.ts'
import { createThreadRecognizer } from './thread-recognizer.ts'

/**
 * The messages in work beside the built-in recognizer, two of a router that is alone. Its thread works on one piece of a
 * text at a time: if it took a piece of each of 64 messages in turn, all would end together, and late.
 */
const CONCURRENCY = 4

type Context = Pick<ProcessorContext, 'logger'>
type NlpEntities = Omit<ProcessorDefinition<NlpEntitiesSettings>, 'create'> & {
  readonly create: (settings: NlpEntitiesSettings, context: Context) => RunningProcessor
}

/**
 * Defines the processor that adds the people, organizations, places, dates and sums named by a question and its answer
 * (docs/reference/processors.md#nlp-entities).
 */
export function nlpEntities(version: string): NlpEntities {
  return {
    name: 'nlpentities',
    version,
    settings: nlpEntitiesSettings,
    create: (settings, context) => {
      const recognizer = recognizerOf(settings, context)
      const options = { ...answerOptions(settings), entitiesOf: recognizer.entities }
      const program = new URL('./message-thread.ts', import.meta.url)
      const conclude = settings.endpoint === undefined ? {} : { conclude: createConclusion(options) }
      return {
        answer: createAnswerEntities(options),
        large: { program, data: settings, ...conclude },
        ...(settings.endpoint === undefined ? { concurrency: CONCURRENCY } : {}),
        ready: () => recognizer.ready?.() !== false,
        close: recognizer.close,
      }
    },
  }
}

function recognizerOf({ endpoint, timeout_ms: timeoutMs }: NlpEntitiesSettings, { logger }: Context): Recognizer {
  if (endpoint === undefined) return createThreadRecognizer({ logger, timeoutMs })
  return createEndpointRecognizer({ ...endpointOptions(endpoint), logger })
}
