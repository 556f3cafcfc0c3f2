import { readFileSync } from 'node:fs'
import { z } from 'zod'

export const toxicityLabels = ['toxicity', 'severe_toxicity', 'obscene', 'threat', 'insult', 'identity_attack'] as const
export const entityLabels = [
  'PERSON',
  'ORG',
  'GPE',
  'LOC',
  'NORP',
  'DATE',
  'TIME',
  'MONEY',
  'PERCENT',
  'CARDINAL',
  'ORDINAL',
  'QUANTITY',
] as const

const toxicityLine = z.strictObject({ text: z.string().min(1), labels: z.array(z.enum(toxicityLabels)) })
const entitiesLine = z.strictObject({
  text: z.string().min(1),
  entities: z.array(z.strictObject({ text: z.string().min(1), label: z.enum(entityLabels) })),
})

export type ToxicityLine = z.infer<typeof toxicityLine>
export type EntitiesLine = z.infer<typeof entitiesLine>

/** The committed texts with the toxicity labels each of them deserves; no label = clean. */
export function readToxicityCorpus(): ToxicityLine[] {
  return linesOf('toxicity.jsonl').map((line) => toxicityLine.parse(JSON.parse(line)))
}

/** The committed texts with the entities a careful annotator finds, in the order of the text. */
export function readEntitiesCorpus(): EntitiesLine[] {
  return linesOf('entities.jsonl').map((line) => entitiesLine.parse(JSON.parse(line)))
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
}
