import { readFileSync } from 'node:fs'

export const TOXICITY_LABELS: readonly string[] =
  'toxicity severe_toxicity obscene threat insult identity_attack'.split(' ')
export const ENTITY_LABELS: readonly string[] =
  'PERSON ORG GPE LOC NORP DATE TIME MONEY PERCENT CARDINAL ORDINAL QUANTITY'.split(' ')

export type ToxicityLine = { readonly text: string; readonly labels: readonly string[] }
export type EntitiesLine = {
  readonly text: string
  readonly entities: readonly { readonly text: string; readonly label: string }[]
}

/** Reads the texts with their toxicity labels; a text without labels is clean. */
export function readToxicityCorpus(): readonly ToxicityLine[] {
  return linesOf('toxicity.jsonl').map((line) => JSON.parse(line))
}

/** Reads the texts with the entities that a careful annotator finds, in the order of the text. */
export function readEntitiesCorpus(): readonly EntitiesLine[] {
  return linesOf('entities.jsonl').map((line) => JSON.parse(line))
}

function linesOf(name: string): readonly string[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return text.trimEnd().split('\n')
}
