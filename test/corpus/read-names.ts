import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EntitiesLine } from './read-corpus.ts'

export type NamesLine = EntitiesLine & {
  /** True for the half that decides. Nobody reads its lines while changing rules. */
  readonly heldOut: boolean
}

/** Reads sentences with names of the world's cultures, products and amounts, halved by the hash of the text. */
export function readNames(): readonly NamesLine[] {
  return namesFile()
    .trimEnd()
    .split('\n')
    .map((line) => {
      const entry: EntitiesLine = JSON.parse(line)
      return { ...entry, heldOut: (createHash('sha256').update(entry.text).digest()[0] ?? 0) % 2 === 1 }
    })
}

/** Returns the unchanged text of the file, for the hash. */
export function namesFile(): string {
  return readFileSync(new URL('names.jsonl', import.meta.url), 'utf8')
}
