import type { ProcessorContext, ProcessorDefinition, RunningProcessor } from '@llm-gateway/sdk'
import { createAnswerEntities } from './answer-entities.ts'
import { endpointOptions } from './endpoint-options.ts'
import { createEndpointRecognizer } from './endpoint-recognizer.ts'
import { FURTHER_LABELS } from './entity.ts'
import { compileMessageTexts, type TextPaths } from './message-texts.ts'
import type { Recognizer } from './recognizer.ts'
import { type NlpEntitiesSettings, nlpEntitiesSettings } from './settings.ts'
import { createThreadRecognizer } from './thread-recognizer.ts'

type Context = Pick<ProcessorContext, 'logger'>
type NlpEntities = Omit<ProcessorDefinition<NlpEntitiesSettings>, 'create'> & {
  readonly create: (settings: NlpEntitiesSettings, context: Context) => RunningProcessor
}

/** Adds the people, organizations, places, dates and sums that a question and its answer name (wire, 6). */
export function nlpEntities(version: string): NlpEntities {
  return {
    name: 'nlpentities',
    version,
    settings: nlpEntitiesSettings,
    create: (settings, context) => {
      const recognizer = recognizerOf(settings, context)
      const answer = createAnswerEntities({
        textsOf: compileMessageTexts({
          paths: { request: settings.request_paths, response: settings.response_paths },
          routers: new Map(settings.routers.map((entry) => [entry.router, ownPaths(entry)])),
        }),
        entitiesOf: recognizer.entities,
        labels: new Set(settings.labels),
        maxCharacters: settings.max_characters,
        maxEntities: settings.max_entities,
      })
      return { answer, close: recognizer.close }
    },
  }
}

function recognizerOf(settings: NlpEntitiesSettings, { logger }: Context): Recognizer {
  const { endpoint, timeout_ms: timeoutMs } = settings
  if (endpoint !== undefined) return createEndpointRecognizer({ ...endpointOptions(endpoint), logger })
  const recognizer = createThreadRecognizer({ logger, timeoutMs })
  const unwanted: ReadonlySet<string> = new Set(
    FURTHER_LABELS.filter((label) => !settings.further_labels.includes(label)),
  )
  return {
    ...recognizer,
    entities: async (text) => (await recognizer.entities(text)).filter(({ label }) => !unwanted.has(label)),
  }
}

type RouterEntry = NlpEntitiesSettings['routers'][number]

function ownPaths({ request_paths: request, response_paths: response }: RouterEntry): Partial<TextPaths> {
  return { ...(request === undefined ? {} : { request }), ...(response === undefined ? {} : { response }) }
}
