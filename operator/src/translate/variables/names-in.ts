import { splitReferences } from './split-references.ts'

/** Every NAME of the `${NAME}` in the texts of a value. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    return splitReferences(value).flatMap((piece) => (piece.kind === 'name' ? [piece.name] : []))
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : []
}
