import { createHash } from 'node:crypto'
import { lookUp } from './env-reference.ts'
import type { References } from './types.ts'

/** The reload criterion: the file's bytes and every value it refers to. Made of secrets, so never logged. */
export function fingerprint(digest: string, names: ReadonlySet<string>, references: References): string {
  const hash = createHash('sha256').update(digest)
  for (const name of [...names].sort()) hash.update(JSON.stringify([name, lookUp(name, references) ?? null]))
  return hash.digest('hex')
}
