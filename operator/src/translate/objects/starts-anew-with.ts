import { createHash } from 'node:crypto'
import { GROUP } from '@llm-gateway/crds'

/** 64 bits: it only has to differ from the one before, and people compare it by eye. */
const CHARACTERS = 16

/** On a template: what its program reads only at its start. A change of it starts the pods anew. */
export function startsAnewWith(facts: unknown): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex')
  return { [`${GROUP}/settings`]: hash.slice(0, CHARACTERS) }
}
