import { isJsonObject } from '@llm-gateway/protocol'

/** The part of a payload's texts that is counted. */
export type Sample = {
  readonly texts: readonly string[]
  /** The characters (UTF-16 code units) of these texts. */
  readonly sampled: number
  /** The characters of all texts found. */
  readonly total: number
}

export type SampleBounds = { readonly maxCharacters: number; readonly maxTexts: number }

/** Returns the texts of a content: a string, or an array of parts, each a string or an object with a string `text`. */
export function textsOf(content: unknown): readonly string[] {
  const parts = Array.isArray(content) ? content : [content]
  return parts.map((part) => (isJsonObject(part) ? part.text : part)).filter((text) => typeof text === 'string')
}

/** Returns as much of the texts, from the beginning, as the bounds allow. */
export function sampleOf(all: readonly string[], { maxCharacters, maxTexts }: SampleBounds): Sample {
  const texts: string[] = []
  let sampled = 0
  // A sample of empty texts alone would give no number to extrapolate from.
  for (const text of all.filter((each) => each !== '').slice(0, maxTexts)) {
    const taken = text.slice(0, maxCharacters - sampled)
    if (taken !== '') texts.push(taken)
    sampled += taken.length
  }
  return { texts, sampled, total: all.reduce((sum, text) => sum + text.length, 0) }
}
