import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createAnswerEntities, joinedText } from './answer-entities.ts'
import { answerOptions } from './answer-options.ts'
import { PIECE_LENGTH, pieces } from './cut-text.ts'
import type { Entity } from './entity.ts'
import { recognizeText } from './recognize.ts'
import { nlpEntitiesSettings } from './settings.ts'

// Finds the text of a large message, and its entities unless an endpoint finds them.
await runMessageThread((data) => {
  const settings = nlpEntitiesSettings.parse(data)
  const options = answerOptions(settings)
  if (settings.endpoint !== undefined) return (fields) => joinedText(fields, options)
  return async (fields, work) => {
    const entitiesOf = async (text: string): Promise<readonly Entity[]> => {
      const found: Entity[] = []
      for (const piece of pieces(text, PIECE_LENGTH)) {
        if (work.stopped()) break
        found.push(...recognizeText(piece))
      }
      return found
    }
    return await createAnswerEntities({ ...options, entitiesOf })(fields)
  }
})
