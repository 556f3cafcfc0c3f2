import { isJsonObject } from '@llm-gateway/protocol'
import type { Entity } from './entity.ts'

const MAX_ENTITIES = 10_000
const MAX_TEXT_LENGTH = 1_000
const LABEL = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * What an endpoint found: `{"entities": [{"text", "label"}]}`, or spaCy's `{"ents": [{"start", "end", "label"}]}`, whose places
 * count code points of the text that was sent. Undefined where the answer is neither, all of it.
 */
export function readEndpointAnswer(answer: unknown, sent: string): readonly Entity[] | undefined {
  if (!isJsonObject(answer)) return undefined
  if (Object.hasOwn(answer, 'entities')) return allOf(answer.entities, namedEntity)
  if (!Object.hasOwn(answer, 'ents')) return undefined
  const points = Array.from(sent)
  return allOf(answer.ents, (entry) => placedEntity(entry, points))
}

function allOf(list: unknown, read: (entry: unknown) => Entity | undefined): readonly Entity[] | undefined {
  if (!Array.isArray(list) || list.length > MAX_ENTITIES) return undefined
  const entities = list.map(read).filter((entity) => entity !== undefined)
  return entities.length === list.length ? entities : undefined
}

function namedEntity(entry: unknown): Entity | undefined {
  if (!isJsonObject(entry)) return undefined
  return entityOf(entry.text, entry.label)
}

function placedEntity(entry: unknown, points: readonly string[]): Entity | undefined {
  if (!isJsonObject(entry)) return undefined
  const { start, end } = entry
  if (typeof start !== 'number' || typeof end !== 'number' || !Number.isInteger(start) || !Number.isInteger(end)) {
    return undefined
  }
  if (start < 0 || end > points.length) return undefined
  return entityOf(points.slice(start, end).join(''), entry.label)
}

function entityOf(text: unknown, label: unknown): Entity | undefined {
  if (typeof text !== 'string' || typeof label !== 'string' || !LABEL.test(label)) return undefined
  return text === '' || text.length > MAX_TEXT_LENGTH ? undefined : { text, label }
}
