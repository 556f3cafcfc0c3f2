import type { Entity } from './entity.ts'
import { recognize } from './recognize.ts'

/** The entities of a text as they stand in the record. */
export function recognizeText(text: string): readonly Entity[] {
  return recognize(text).map(({ start, end, label }) => ({ text: text.slice(start, end), label }))
}
