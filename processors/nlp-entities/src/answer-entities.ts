import { isJsonObject } from '@llm-gateway/protocol'
import type { Answer } from '@llm-gateway/sdk'
import { joinTexts } from './cut-text.ts'
import type { Entity } from './entity.ts'

export type AnswerEntitiesOptions = {
  readonly textsOf: (fields: ReadonlyMap<string, unknown>) => readonly string[] | undefined
  /** Finds the entities of a text; rejects after `limitMs`. */
  readonly entitiesOf: (text: string, limitMs?: number) => Promise<readonly Entity[]>
  /** Only these labels are written; empty: all. */
  readonly labels: ReadonlySet<string>
  /** These labels are never written. */
  readonly unwanted: ReadonlySet<string>
  /** The maximum of characters of all texts of a message together. */
  readonly maxCharacters: number
  readonly maxEntities: number
}

type EntitiesCall = { readonly timeoutMs: number }
type JoinedText = ReturnType<typeof joinTexts>

/**
 * Answers with the entities of a request's or an answer's texts; with nothing when there is no text
 * (docs/reference/processors.md#nlp-entities).
 */
export function createAnswerEntities(
  options: AnswerEntitiesOptions,
): (fields: ReadonlyMap<string, unknown>, call?: EntitiesCall) => Promise<Answer> {
  return async (fields, call) => await answerText(joinedText(fields, options), options, call)
}

/** Answers with the entities of the text that a thread found in a message. */
export function createConclusion(
  options: AnswerEntitiesOptions,
): (value: unknown, call?: EntitiesCall) => Promise<Answer> {
  return async (value, call) => {
    if (!isJsonObject(value) || typeof value.text !== 'string') return undefined
    return await answerText({ text: value.text, cut: value.cut === true }, options, call)
  }
}

/** Joins the texts of a message; undefined when it has none. */
export function joinedText(
  fields: ReadonlyMap<string, unknown>,
  { textsOf, maxCharacters }: Pick<AnswerEntitiesOptions, 'textsOf' | 'maxCharacters'>,
): JoinedText | undefined {
  const texts = textsOf(fields) ?? []
  return texts.length === 0 ? undefined : joinTexts(texts, maxCharacters)
}

async function answerText(
  joined: JoinedText | undefined,
  { labels, unwanted, maxEntities, entitiesOf }: AnswerEntitiesOptions,
  call: EntitiesCall | undefined,
): Promise<Answer> {
  if (joined === undefined) return undefined
  const found = await entitiesOf(joined.text, call?.timeoutMs)
  const wanted = found.filter(({ label }) => (labels.size === 0 || labels.has(label)) && !unwanted.has(label))
  const entities = wanted.slice(0, maxEntities)
  const truncated = joined.cut || entities.length < wanted.length
  return { nlp_entities: { entities, ...(truncated ? { truncated } : {}) } }
}
