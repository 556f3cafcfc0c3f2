import { createHash } from 'node:crypto'
import { GROUP } from '@llm-gateway/crds'

/** 64 bits suffice: the hash only has to differ from the previous one, and people compare it by eye. */
const CHARACTERS = 16

/**
 * Makes an annotation of a pod template from the facts that a program reads only at its start, so that a change restarts
 * its pods.
 */
export function restartAnnotation(facts: unknown): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex')
  return { [`${GROUP}/settings`]: hash.slice(0, CHARACTERS) }
}
