import nlp from 'compromise'

/** A word of a text with what the tagger takes it for. */
export type Term = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly tags: ReadonlySet<string>
}

const NO_TAGS: ReadonlySet<string> = new Set()

/** The words of a text by sentences. Contractions are one word. */
export function tagText(text: string): readonly (readonly Term[])[] {
  const sentences: Term[][] = []
  let from = 0
  for (const sentence of nlp(text).docs) {
    const terms: Term[] = []
    for (const term of sentence) {
      // The second half of `don't` has no text of its own.
      if (term.text === '') continue
      const start = text.indexOf(term.text, from)
      if (start < 0) continue
      from = start + term.text.length
      terms.push({ text: term.text, start, end: from, tags: term.tags ?? NO_TAGS })
    }
    sentences.push(terms)
  }
  return sentences
}
