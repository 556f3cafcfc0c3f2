import type { AnswerEntitiesOptions } from './answer-entities.ts'
import { FURTHER_LABELS } from './entity.ts'
import { compileMessageTexts } from './message-texts.ts'
import type { NlpEntitiesSettings } from './settings.ts'

/** What the settings say of answers, whoever finds the entities. */
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

/** The built-in recognizer finds the further labels whether they are wanted or not. */
function unwantedLabels({ further_labels: wanted }: NlpEntitiesSettings): readonly string[] {
  return FURTHER_LABELS.filter((label) => !wanted.includes(label))
}
