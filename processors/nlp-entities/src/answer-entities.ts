import type { Answer } from '@llm-gateway/sdk'
import { joinTexts } from './cut-text.ts'
import type { Entity } from './entity.ts'

export type AnswerEntitiesOptions = {
  readonly textsOf: (fields: ReadonlyMap<string, unknown>) => readonly string[] | undefined
  readonly entitiesOf: (text: string) => Promise<readonly Entity[]>
  /** Only these labels; empty = all. */
  readonly labels: ReadonlySet<string>
  /** Characters of all texts of a message together. */
  readonly maxCharacters: number
  readonly maxEntities: number
}

/** The entities of a request's or an answer's texts (wire, 6); nothing where there is no text. */
export function createAnswerEntities(
  options: AnswerEntitiesOptions,
): (fields: ReadonlyMap<string, unknown>) => Promise<Answer> {
  const { labels, maxCharacters, maxEntities } = options
  return async (fields) => {
    const texts = options.textsOf(fields) ?? []
    if (texts.length === 0) return undefined
    const { text, cut } = joinTexts(texts, maxCharacters)
    const found = await options.entitiesOf(text)
    const wanted = labels.size === 0 ? found : found.filter(({ label }) => labels.has(label))
    const entities = wanted.slice(0, maxEntities)
    const truncated = cut || entities.length < wanted.length
    return { nlp_entities: { entities, ...(truncated ? { truncated } : {}) } }
  }
}
