import type { AnswerEntitiesOptions } from './answer-entities.ts'
import { FURTHER_LABELS } from './entity.ts'
import { compileMessageTexts } from './message-texts.ts'
import type { NlpEntitiesSettings } from './settings.ts'

/** Makes the options of answers from the settings, for any recognizer. */
export function answerOptions(settings: NlpEntitiesSettings): Omit<AnswerEntitiesOptions, 'entitiesOf'> {
  return {
    textsOf: compileMessageTexts({
      paths: { request: settings.request_paths, response: settings.response_paths },
      routers: new Map(
        settings.routers.map(({ router, request_paths: request, response_paths: response }) => [
          router,
          { request, response },
        ]),
      ),
    }),
    labels: new Set(settings.labels),
    unwanted: new Set(settings.endpoint === undefined ? unwantedLabels(settings) : []),
    maxCharacters: settings.max_characters,
    maxEntities: settings.max_entities,
  }
}

/** Returns the further labels that aren't wanted; the built-in recognizer finds all of them. */
function unwantedLabels({ further_labels: wanted }: NlpEntitiesSettings): readonly string[] {
  return FURTHER_LABELS.filter((label) => !wanted.includes(label))
}
